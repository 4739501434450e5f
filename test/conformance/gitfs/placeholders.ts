// Placeholders in recordings for values of a machine and a run, and for any text.
import { createHash } from 'node:crypto'
import type { Json } from '../area.ts'

/** Gives the value of a placeholder by its name and argument, or undefined for one that stays. */
export type Values = (name: string, argument: string) => string | undefined

const INNERMOST = /<([A-Z0-9]+)(?::([^<>]*))?>/g

/** Put values in place of the placeholders of a text, from the inside out. */
export function filled(text: string, values: Values): string {
  for (let before = text; ; before = text) {
    text = before.replace(INNERMOST, (whole, name: string, argument = '') => values(name, argument) ?? whole)
    if (text === before) return text
  }
}

/** Put values in place of the placeholders in all texts and names of a value. */
export function filledIn<T>(value: T, values: Values): T {
  if (typeof value === 'string') return filled(value, values) as T
  if (Array.isArray(value)) return value.map((item) => filledIn(item, values)) as T
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, item]) => [filled(key, values), filledIn(item as Json, values)])
  return Object.fromEntries(entries)
}

/** The directory that Salt keeps a remote in. */
export const idHash = (id: string, hashType: string): string =>
  createHash(hashType).update(id).digest('base64').replaceAll('/', '_')

const ANYTHING: Readonly<Record<string, string>> = {
  TRACEBACK: '[\\s\\S]*',
  USAGE: '[\\s\\S]*',
  TIME: '.*',
  VERSION: '\\S+',
  CHARACTER: '.',
  PID: "'?\\d+'?",
}

const WILD = new RegExp(`<(${Object.keys(ANYTHING).join('|')})>`)

/** Whether a text is the recorded one, whose wild placeholders stand for anything of their kind. */
export function matches(recorded: string, actual: string): boolean {
  if (recorded === actual) return true
  if (!WILD.test(recorded)) return false
  const parts = recorded
    .split(WILD)
    .map((part, index) => (index % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : ANYTHING[part]))
  return new RegExp(`^${parts.join('')}$`).test(actual)
}
