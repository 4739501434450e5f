// The size of a batch: a number of minions, or a percentage of all of them, at least one.
import { quote, SaltError } from '../data/mod.ts'

export function batchSize(spec: string, minions: number): number {
  const text = spec.trim()
  const percent = text.includes('%') ? readFloat(text.replace(/^%+|%+$/g, '')) : undefined
  if (percent !== undefined) return Math.max(1, Math.floor((percent / 100) * minions))
  if (/^[+-]?\d+$/.test(text)) return Math.max(1, Number(text))
  throw new SaltError(
    'SaltInvocationError',
    `Invalid batch specification ${quote(spec)}: must be an integer or percentage string like '10' or '25%'.`,
  )
}

const readFloat = (text: string): number | undefined =>
  /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(text) ? Number(text) : undefined
