export function activate(): void {
  // Nothing is opened before it is needed.
}

export function deactivate(): void {
  // There is nothing to close yet.
}
