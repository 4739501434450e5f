// The commands that Salt's augeas functions take: `set /files/etc/hosts/1/alias web`.
import { PyError, shlexSplit } from '../../../data/mod.ts'

/** The method of each command in its written form. */
const METHODS: Readonly<Record<string, AugeasMethod>> = {
  set: 'set',
  setm: 'setm',
  mv: 'move',
  move: 'move',
  ins: 'insert',
  insert: 'insert',
  rm: 'remove',
  remove: 'remove',
}

export type AugeasMethod = 'set' | 'setm' | 'move' | 'insert' | 'remove'

export interface AugeasCommand {
  method: AugeasMethod
  parts: string[]
  /** The original text of the command. */
  text: string
}

/** Throws a ValueError for a command that is not known, or that is a single word. */
export function parseAugeasCommand(command: string): AugeasCommand {
  const blank = command.indexOf(' ')
  if (blank < 0) throw new PyError('ValueError', 'not enough values to unpack (expected 2, got 1)')
  const word = command.slice(0, blank)
  const method = Object.hasOwn(METHODS, word) ? METHODS[word] : undefined
  if (method === undefined) throw new PyError('ValueError', `Command ${word} is not supported (yet)`)
  const text = command.slice(blank + 1)
  return { method, parts: shlexSplit(text), text }
}
