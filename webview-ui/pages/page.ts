/** One tab of the inspector. */
export interface Page {
  /** It comes to the front; with an id, that trace or memory is asked for. */
  open(id: string | undefined): void;
  /** Memories changed while it is at the front. */
  refresh(): void;
  /** What it looks like now; drawn at every update while it is at the front. */
  view(): unknown;
}
