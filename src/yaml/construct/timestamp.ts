export function timestampFromScalar(text: string): string {
  return text
}
