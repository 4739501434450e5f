// One word of a compound target: an optional engine letter (with a delimiter, for engines that walk into data), `@`,
// and the pattern.

export interface Target {
  engine?: string
  delimiter?: string
  pattern: string
}

const TARGET = /^(?:(?:([GPIJ])(.)?|([LNSERTM]))@)?(.+)\n?$/u

export function parseTarget(word: string): Target {
  const match = TARGET.exec(word)
  if (!match) return { pattern: word }
  const [, dataEngine, delimiter, otherEngine, pattern] = match
  const engine = dataEngine ?? otherEngine
  if (engine === undefined) return { pattern: pattern! }
  return delimiter === undefined ? { engine, pattern: pattern! } : { engine, delimiter, pattern: pattern! }
}

export const TARGET_OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'not', '(', ')'])
