// Changes of crontab entries.
import { randomInt } from 'node:crypto'
import { type Dict, dictFrom, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { cronDiffers, cronMatches, NO_CRON_ID } from '../cron-entry.ts'
import { readTab, TIMES, writeTab } from './tab.ts'

/** A wanted entry: its times or `spec`, and cmd, commented, comment, identifier. */
export interface Wanted extends Readonly<Record<string, Value>> {
  cmd: string
  commented: boolean
  comment: string | null
  identifier: string | null
}

const held = (entry: Dict, key: string): Value => entry.get(key) ?? null

/** Set an entry; return `new`, `updated`, `present`, or the error text of crontab. */
export async function setEntry(ctx: FunctionContext, user: string, wanted: Wanted): Promise<string> {
  const tab = await readTab(ctx, user)
  const isSpecial = 'spec' in wanted
  const { cmd, comment, commented, identifier } = wanted
  const found = [...tab.crons, ...tab.special].find((entry) => cronMatches(entry, cmd, identifier))
  if (found === undefined) {
    const fresh = isSpecial ? dictFrom({ ...wanted }) : dictFrom({ ...wanted, ...chosenTimes(wanted) })
    ;(isSpecial ? tab.special : tab.crons).push(fresh)
    return (await writeTab(ctx, user, tab)) ?? 'new'
  }
  const id = str(held(found, 'identifier') || NO_CRON_ID)
  const times = ['spec', ...TIMES].map((key): [Value, Value] => [held(found, key), wanted[key] ?? null])
  const pairs: [Value, Value][] = [
    [held(found, 'comment'), comment],
    [held(found, 'commented'), commented],
    [identifier, id],
    [held(found, 'cmd'), cmd],
    ...times,
  ]
  if (!pairs.some(([before, after]) => cronDiffers(before, after))) return 'present'
  await removeEntry(ctx, user, { cmd, identifier: id, isSpecial: found.has('spec') })
  const answer = await setEntry(ctx, user, merged(found, wanted, id))
  return answer === 'new' ? 'updated' : answer
}

/** Merge the wanted values into the existing entry. */
function merged(found: Dict, wanted: Wanted, id: string): Wanted {
  const result: Record<string, Value> & Wanted = { ...wanted }
  for (const [key, value] of Object.entries(wanted)) {
    result[key] = key !== 'identifier' && !cronDiffers(held(found, key), value) ? held(found, key) : value
  }
  const { cmd, identifier } = wanted
  const sameCommand = !cronDiffers(held(found, 'cmd'), cmd)
  const known = id === NO_CRON_ID && sameCommand ? identifier || null : id
  if (known === null || !cronDiffers(known, identifier)) result.identifier = known
  return result
}

export interface Removal {
  cmd: string
  identifier: string | null
  isSpecial: boolean
  spec?: string | null
  times?: Readonly<Record<string, string | null>>
}

/** Remove an entry; return `removed`, `absent`, or the error text of crontab. */
export async function removeEntry(ctx: FunctionContext, user: string, removal: Removal): Promise<string> {
  const { cmd, identifier, isSpecial, spec = null, times = {} } = removal
  const tab = await readTab(ctx, user)
  const list = isSpecial ? tab.special : tab.crons
  const at = list.findIndex((entry) => {
    if (!cronMatches(entry, cmd, identifier)) return false
    return isSpecial ? spec === null || held(entry, 'spec') === spec : timesMatch(entry, times)
  })
  if (at >= 0) list.splice(at, 1)
  // as in Salt, a missing special job still writes the crontab
  const complaint = at >= 0 || isSpecial ? await writeTab(ctx, user, tab) : undefined
  return complaint ?? (at >= 0 ? 'removed' : 'absent')
}

function timesMatch(entry: Dict, times: Readonly<Record<string, string | null>>): boolean {
  return TIMES.every((key) => {
    const wanted = times[key] ?? null
    if (wanted === null || held(entry, key) === wanted) return true
    return wanted.toLowerCase() === 'random' && held(entry, key) !== '*'
  })
}

const RANGES = { minute: [0, 59], hour: [0, 23], month: [1, 12], dayweek: [0, 6] } as const

const between = (low: number, high: number): string => String(low + randomInt(high - low + 1))

/** Replace `random` and ranges such as `10:20` by numbers. */
function chosenTimes(wanted: Wanted): Record<string, string> {
  const chosen: Record<string, string> = {}
  for (const [key, [low, high]] of Object.entries(RANGES)) {
    const text = str(wanted[key] ?? '1').toLowerCase()
    const range = text.split(':').sort()
    if (text === 'random') chosen[key] = between(low, high)
    else if (range.length === 2) chosen[key] = between(Number(range[0]), Number(range[1]))
    else chosen[key] = text
  }
  const day = str(wanted['daymonth'] ?? '1').toLowerCase()
  chosen['daymonth'] = day === 'random' ? between(1, daysOf(chosen['month']!)) : day
  return chosen
}

function daysOf(month: string): number {
  if (['1', '3', '5', '7', '8', '10', '12'].includes(month)) return 31
  return ['4', '6', '9', '11'].includes(month) ? 30 : 28
}

export async function setVariable(ctx: FunctionContext, user: string, name: string, value: Value): Promise<string> {
  const tab = await readTab(ctx, user)
  const found = tab.env.find((entry) => entry.get('name') === name)
  if (found && found.get('value') === value) return 'present'
  if (found) tab.env.splice(tab.env.indexOf(found), 1)
  tab.env.push(dictFrom({ name, value }))
  return (await writeTab(ctx, user, tab)) ?? (found ? 'updated' : 'new')
}

export async function removeVariable(ctx: FunctionContext, user: string, name: string): Promise<string> {
  const tab = await readTab(ctx, user)
  const kept = tab.env.filter((entry) => entry.get('name') !== name)
  const complaint = await writeTab(ctx, user, { ...tab, env: kept })
  return complaint ?? (kept.length < tab.env.length ? 'removed' : 'absent')
}
