import type { MemoryEngine } from '../engine/engine.js';
import type { MemoryWithConfidence } from '../engine/model/conflict.js';
import type { Memory } from '../engine/model/memory.js';

/** The memory with its effective confidence at this moment, and its end. Apart from ui/, because it needs no VS Code. */
export function withEffectiveConfidence(engine: MemoryEngine, memory: Memory): MemoryWithConfidence {
  const keptUntil = engine.explainer.keptUntil(memory);
  return {
    memory,
    effectiveConfidence: engine.effectiveConfidence(memory),
    ...(keptUntil === undefined ? {} : { keptUntil }),
  };
}
