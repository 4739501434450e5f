// The package database: `apt-get update`, unless the database is young enough, and its result for each source.
import { failure, isNumeric, numberOf, splitLines, splitWords, typeName, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'
import { clearRefreshMark } from '../../common/installed.ts'
import { callApt } from './call.ts'

const LISTS = '/var/lib/apt/lists'

async function isYoung(ctx: FunctionContext, seconds: Value): Promise<boolean> {
  const age = numberOf(seconds)
  if (!isNumeric(seconds) || age === undefined) {
    const problem = `unsupported operand type(s) for +: 'float' and '${typeName(seconds)}'`
    ctx.log('warning', `expected integer for cache_valid_time parameter, failed with: ${problem}`)
    return false
  }
  const lists = await ctx.host.stat(LISTS)
  return lists !== undefined && lists.mtime + Number(age) > ctx.host.now()
}

export interface Refresh {
  cacheValidTime?: Value
  failhard?: boolean
  timeout?: Value | undefined
}

/** Return by source: True when it was fetched, None when it was up to date, False when it failed. */
export async function refreshDb(ctx: FunctionContext, refresh: Refresh = {}): Promise<Map<string, boolean | null>> {
  const { cacheValidTime = 0, failhard = false } = refresh
  await clearRefreshMark(ctx)
  const isLimited = cacheValidTime !== null && cacheValidTime !== 0 && cacheValidTime !== false && cacheValidTime !== ''
  if (isLimited && (await isYoung(ctx, cacheValidTime))) return new Map()
  const timeout = refresh.timeout ?? option(ctx.opts, 'aptpkg_refresh_db_timeout')
  let call = await callApt(ctx, ['apt-get', '-q', 'update'], { scope: false, options: { timeout } })
  if (call.stdout.includes('Timed out')) {
    await callApt(ctx, ['apt-get', '-q', 'clean'], { scope: false })
    call = await callApt(ctx, ['apt-get', '-q', 'update'], { scope: false })
  }
  if (call.retcode !== 0) throw failure(call.stderr)
  return sourcesOf(call.stdout, failhard)
}

const VERDICTS: readonly [string, boolean | null][] = [
  ['Get', true],
  ['Ign', false],
  ['Hit', null],
  ['Err', false],
]

function sourcesOf(output: string, failhard: boolean): Map<string, boolean | null> {
  const sources = new Map<string, boolean | null>()
  const failed: string[] = []
  for (const line of splitLines(output)) {
    const [first, ...rest] = splitWords(line)
    const verdict = VERDICTS.find(([word]) => first?.includes(word))
    if (verdict === undefined) continue
    const [word, result] = verdict
    const name = rest.join(' ')
    sources.set(word === 'Get' ? name.replace(/ \[.+B\]$/, '') : name, result)
    if (word === 'Err') failed.push(name)
  }
  if (failhard && failed.length > 0) {
    throw failure(`Error getting repos: ${failed.join(', ')}`)
  }
  return sources
}
