import { normalizeWord, programName } from './commandLine.js';

/** The commands, files and errors that a text names. */
export interface NamedKeys {
  /** Words of a command in their order, the program first. */
  readonly commands: readonly (readonly string[])[];
  /** With slashes, as the text has them; a name alone is a file anywhere. */
  readonly paths: readonly string[];
  /** Parts of an error's text. */
  readonly errors: readonly string[];
}

/** Programs of which a text names a part, such as `git push`: their name alone says too little. */
const programsWithParts = new Set(
  'git npm pnpm yarn bun deno node python python3 pip pip3 uv poetry pipenv conda cargo go make cmake ninja gradle gradlew mvn mvnw dotnet docker docker-compose podman kubectl helm terraform tofu pulumi aws gcloud az gh glab apt apt-get brew systemctl west idf.py just task nx turbo lerna rails rake bundle php composer artisan flutter dart swift xcodebuild adb ssh code vercel netlify fly heroku supabase firebase prisma'.split(
    ' ',
  ),
);
/** Programs that are named by themselves. */
const programsAlone = new Set(
  'pytest jest vitest mocha ava tsc mypy pyright ruff flake8 pylint eslint prettier biome rustfmt gofmt clang-format clang-tidy golangci-lint shellcheck playwright cypress psql mysql mongosh sqlite3 redis-cli pg_dump pg_restore alembic flyway liquibase ansible-playbook scp rsync curl wget jlink openocd pyocd esptool.py valgrind gdb webpack vite rollup esbuild tsx ts-node nodemon protoc buf sqlc goose k6 locust rm chmod chown kill pkill killall shutdown reboot mkfs dd npx'.split(
    ' ',
  ),
);
/** Words of a sentence after a program's name, where no part of the program is meant. */
const sentenceWords = new Set(
  'a an the is are was were be been has have had can could will would must should may might to for with without in on at by of from into and or but not never always only before after when while if then than so as it its this that these those we you they i he she who which what how because instead also again there here does do did needs need takes fails runs works breaks hangs uses wants every each any all some no yes per via until unless since first twice once'.split(
    ' ',
  ),
);
const negationPattern =
  /(?:\b(?:never|not|no|avoid|without|instead of|rather than|stop using|don't|do not)|n't)\b[^.!?,;]{0,40}$/iu;
/** Names of files that a text has without quotes. */
const pathPattern =
  /(?<![\w/\\.:-]|(?<![\w/\\.:-])@)(?:\.{0,2}[\\/])?(?:[\w@.-]+[\\/])*[\w@-][\w@.-]*\.(?:[cm]?[jt]sx?|json[c5]?|ya?ml|toml|md|py|go|rs|c|h|cc|cpp|hpp|java|kt|kts|cs|rb|php|swift|sql|sh|ps1|html?|css|scss|vue|svelte|proto|tf|gradle|lock|xml|ini|cfg|conf|env|txt|csv|dts|overlay|graphql|ipynb)(?![\w/\\-])/giu;
const errorPattern = /(?<![\w-])(?:E[A-Z]{4,}|[A-Z]{1,6}-?\d{3,6}|[A-Z]\w*(?:Error|Exception))(?![\w-])/gu;

/** Words of a key, and keys of a memory; a text that names more is a list. */
const limits = { words: 4, keys: 8, keyLength: 120 } as const;
const minErrorLength = 8;

/** @param content the text of a memory */
export function findNamedKeys(content: string): NamedKeys {
  const spans = [...content.matchAll(/`([^`\n]{2,200})`/gu)].map(it => it[1]!.trim());
  const prose = content.replaceAll(/`[^`\n]*`/gu, ' ; ');
  const quoted = [...prose.matchAll(/"([^"\n]{8,120})"|“([^”\n]{8,120})”/gu)].map(it => (it[1] ?? it[2])!);
  const spanCommands = spans.flatMap(it => commandOfSpan(it) ?? []);
  const paths = [...spans, prose].flatMap(it => [...it.matchAll(pathPattern)].map(found => found[0]));
  const longSpans = spans.filter(it => it.length >= minErrorLength && commandOfSpan(it) === undefined && !isPath(it));
  return {
    commands: unique([...spanCommands, ...commandsOfProse(prose)].map(it => it.join('\n'))).map(it => it.split('\n')),
    paths: unique(paths.map(it => normalizeWord(it.replaceAll('\\', '/')))),
    errors: unique([...[...content.matchAll(errorPattern)].map(it => it[0]), ...longSpans, ...quoted]),
  };
}

/** The command that stands in backticks. A name alone is one only where it is a known program's. */
function commandOfSpan(span: string): readonly [readonly string[]] | undefined {
  const words = span.replace(/^\$\s+/u, '').split(/\s+/u);
  const [first = '', ...rest] = words;
  const program = programName(first);
  const isKnown = programsWithParts.has(program) || programsAlone.has(program);
  if (isPath(first) && !/^\.{0,2}[\\/]|\.(?:sh|py)$/u.test(first)) return undefined;
  if (rest.length === 0) return isKnown || /^\.?\/.*\w$/u.test(first) ? [[program]] : undefined;
  if (!isKnown && !/^[\w.][\w.+-]*$/u.test(program)) return undefined;
  if (!isKnown && rest.some(it => /[=({;]/u.test(it))) return undefined;
  // What a person fills in: `<port>`, `$HOME`, `…`.
  const said = rest.filter(it => !/^[<[{$…]|^\.\.\.$|^[A-Z_]{3,}$/u.test(it)).map(normalizeWord);
  return [[program, ...said].slice(0, limits.words)];
}

/** Commands of known programs in a sentence: with the parts that follow, and alone where that is forbidden. */
function commandsOfProse(prose: string): readonly (readonly string[])[] {
  const words = [...prose.matchAll(/[^\s,;()"“”]+/gu)];
  return words.flatMap((match, i): readonly (readonly string[])[] => {
    const program = match[0].replace(/(?<![.:!?])[.:!?]+$/u, '');
    const isAlone = programsAlone.has(program);
    if (!isAlone && !programsWithParts.has(program)) return [];
    const parts: string[] = [];
    let previous = match;
    for (const next of words.slice(i + 1, i + limits.words - 1)) {
      // A sentence or a list ends between them.
      const between = prose.slice(previous.index + previous[0].length, next.index);
      if (between.trim() !== '' || /[.:!?]$/u.test(previous[0])) break;
      const word = next[0].replace(/(?<![.:!?])[.:!?]+$/u, '');
      if (!(isAlone ? /^--?[\w-]+$/u : /^(?:--?[\w-]+|[a-z][\w:./@-]*)$/u).test(word) || sentenceWords.has(word)) break;
      parts.push(normalizeWord(word));
      previous = next;
    }
    const isForbidden = negationPattern.test(prose.slice(Math.max(0, match.index - 60), match.index));
    if (parts.length > 0) return [[program, ...parts]];
    return isAlone || isForbidden ? [[program]] : [];
  });
}

function isPath(text: string): boolean {
  return new RegExp(`^${pathPattern.source}$`, 'iu').test(text);
}

function unique(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.filter(it => it.length <= limits.keyLength))].slice(0, limits.keys);
}
