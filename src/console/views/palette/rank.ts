// Selects and sorts titles for the typed text.

/** Whether the letters of a text come in a title, in their order. */
export function fits(title: string, text: string): boolean {
  let at = 0
  const lower = title.toLowerCase()
  for (const letter of text.toLowerCase()) {
    at = lower.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/** Return the rank of a title: a smaller one is a better match. */
function rank(title: string, text: string): number {
  const at = title.toLowerCase().indexOf(text.toLowerCase())
  if (at === 0) return title.length === text.length ? 0 : 1
  if (at < 0) return 4
  return /\W/.test(title[at - 1]!) ? 2 : 3
}

/** Return the matches of a text, the best first; the sort is stable. */
export const ranked = <T extends { title: string }>(choices: readonly T[], text: string): T[] =>
  choices
    .filter(({ title }) => fits(title, text))
    .map((choice) => [rank(choice.title, text), choice] as const)
    .sort(([a], [b]) => a - b)
    .map(([, choice]) => choice)

/** Return the first of several that have the same name. */
export function firstOf<T>(items: readonly T[], name: (item: T) => string): T[] {
  const seen = new Map<string, T>()
  for (const item of items) if (!seen.has(name(item))) seen.set(name(item), item)
  return [...seen.values()]
}
