import { z } from 'zod';
import type { ActionRequest } from '../engine/model/actionRequest.js';
import { sharedMessages } from '../engine/model/sharedMessages.js';
import { formatMemoryLine } from './describeMemory.js';
import { shortIdOf } from './memoryView.js';
import { changeEach, definePersonCommand, memoriesAnswer, option } from './personCommand.js';

const ids = z.array(z.string()).exactOptional();

export const requestsCommand = definePersonCommand({
  name: 'requests',
  description:
    'list what assistants want forgotten, pinned, unpinned, replaced, merged or shared and could not ask you about, and what your team withdrew or replaced of what you confirmed; and decide it',
  input: z.strictObject({
    accept: option('--accept <id...>', ids, 'do it for these memories', ['dismiss']),
    dismiss: option('--dismiss <id...>', ids, 'leave these memories as they are', ['accept']),
  }),
  async run(engine, { accept, dismiss }) {
    const references = accept ?? dismiss;
    if (references === undefined) {
      const requests = await engine.actionRequests.list();
      const answer = {
        output: requests,
        lines: requests.map(it => describeRequest(it, engine.effectiveConfidence(it.memory))),
      };
      if (requests.length === 0) return { ...answer, remarks: [String(sharedMessages.nothingRequested)] };
      const hints = [
        ...(requests.some(it => it.action !== 'share') ? ['Do it: recollect requests --accept ID'] : []),
        ...(requests.some(it => it.action === 'share') ? ['Share it: recollect team share ID'] : []),
        'Leave it as it is: recollect requests --dismiss ID',
      ];
      return { ...answer, hints };
    }
    const { after } = await changeEach(engine, references, id =>
      accept === undefined ? engine.actionRequests.dismiss(id) : engine.actionRequests.accept(id),
    );
    return memoriesAnswer(engine, after);
  },
});

/** By whom: an assistant that asks, or a member of the team who did it for their part. */
function describeRequest(
  { action, memory, replacedBy, client, author, at }: ActionRequest,
  confidence: number,
): string {
  const other = replacedBy === undefined ? '' : ` ${action === 'merge' ? 'into' : 'by'} #${shortIdOf(replacedBy)}`;
  const what = author === undefined ? action : action === 'replace' ? 'replaced' : 'withdrawn';
  return `${what}${other}  ${formatMemoryLine(memory, confidence)}  (${author ?? client}, ${at.slice(0, 10)})`;
}
