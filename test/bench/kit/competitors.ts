import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';

/** An in-memory index of another library with its default settings. */
export interface Competitor {
  readonly name: string;
  /** Ids, best first. */
  search(query: string, limit: number): Promise<string[]>;
}

interface Document {
  readonly id: string;
  readonly text: string;
}

export async function createCompetitors(documents: readonly Document[]): Promise<readonly Competitor[]> {
  return [miniSearch(documents), await orama(documents)];
}

export function miniSearch(documents: readonly Document[]): Competitor {
  const index = new MiniSearch<Document>({ fields: ['text'] });
  index.addAll(documents);
  return {
    name: 'minisearch',
    search: (query, limit) =>
      Promise.resolve(
        index
          .search(query)
          .slice(0, limit)
          .map(it => it.id as string),
      ),
  };
}

export async function orama(documents: readonly Document[]): Promise<Competitor> {
  const index = create({ schema: { text: 'string' } as const });
  await insertMultiple(
    index,
    documents.map(({ id, text }) => ({ id, text })),
  );
  return {
    name: 'orama',
    search: async (query, limit) =>
      (await search(index, { term: query, properties: ['text'], limit })).hits.map(it => it.id),
  };
}

/** Answers of all peers to one question, by peer name. */
export async function searchAll<T>(
  peers: readonly Competitor[],
  query: string,
  limit: number,
  make: (ids: readonly string[]) => T,
): Promise<Record<string, T>> {
  const answers: [string, T][] = [];
  for (const peer of peers) answers.push([peer.name, make(await peer.search(query, limit))]);
  return Object.fromEntries(answers);
}
