import type { ImportedSource, ImportPreview, ImportRefusal } from '../model/importReport.js';
import { describeInstructionMarks } from '../model/instructionMarks.js';

const maxListedRefusals = 100;

/** The counts of one file while it is imported. */
export class ImportStats {
  added = 0;
  known = 0;
  private refused = 0;
  private passedOver = 0;
  private readonly refusals: ImportRefusal[] = [];
  private readonly careful: ImportRefusal[] = [];
  private readonly previews: ImportPreview[] = [];

  constructor(private readonly source: string) {}

  get hasItems(): boolean {
    return this.added + this.known + this.refused + this.passedOver > 0;
  }

  refuse(refusal: ImportRefusal): void {
    if (refusal.isPassedOver === true) this.passedOver++;
    else this.refused++;
    if (this.refusals.length < maxListedRefusals) this.refusals.push(refusal);
  }

  add(content: string, where: string): void {
    this.added++;
    const reason = describeInstructionMarks(content);
    if (reason !== undefined && this.careful.length < maxListedRefusals) this.careful.push({ where, reason });
  }

  preview({ where, content, store, gate, kind }: ImportPreview): void {
    this.add(content, where);
    this.previews.push({ where, content, store, gate, kind });
  }

  toImportedSource(): ImportedSource {
    const { source, added, known, refused, passedOver, refusals, careful, previews } = this;
    return {
      source,
      fresh: added,
      known,
      refused,
      refusals,
      ...(passedOver === 0 ? {} : { passedOver }),
      ...(careful.length === 0 ? {} : { careful }),
      ...(previews.length === 0 ? {} : { preview: previews }),
    };
  }
}
