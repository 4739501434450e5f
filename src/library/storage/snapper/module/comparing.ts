// The changes between two snapshots. The service drops a comparison when its client leaves, so the program snapper
// makes it.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { type Dict, decodeBytes, failure, str, unifiedDiff, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isSourceFile, outputOf, runAll } from '../../../../sdk/mod.ts'
import { callService, configs, during, snapshots } from './service.ts'

export interface Interval {
  config: string
  pre: number
  post: number
}

/** Return the numbers; the last snapshot and the present (0) if not given. */
export async function intervalOf(ctx: FunctionContext, config: string, pre: Value, post: Value): Promise<Interval> {
  if (pre !== null) return { config, pre: Number(pre), post: Number(post ?? 0) }
  const ids = (await snapshots(ctx, config)).map((snapshot) => Number(snapshot.get('id')))
  return { config, pre: Math.max(0, ...ids), post: Number(post ?? 0) }
}

/** The meaning of each letter in `snapper status`, by its position. */
const LETTERS: readonly Readonly<Record<string, string>>[] = [
  { '+': 'created', '-': 'deleted', t: 'type changed', c: 'modified' },
  { p: 'permission changed' },
  { u: 'owner changed' },
  { g: 'group changed' },
  { x: 'extended attributes changed' },
  { a: 'ACL info changed' },
]

function parseStatus(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [, letters, path] of text.matchAll(/^([-+tc.][p.][u.][g.][x.][a.]?) (\/.*)$/gm)) {
    const words = [...letters!].flatMap((letter, place) => LETTERS[place]?.[letter] ?? [])
    found.set(posix.normalize(path!), words)
  }
  return found
}

export const changesOf = (ctx: FunctionContext, { config, pre, post }: Interval): Promise<Map<string, string[]>> => {
  const numbers = [pre, post].filter((number) => number !== 0)
  return during(ctx, 'listing changed files', { config, numbers }, async () => {
    const { retcode, stdout, stderr } = await runAll(ctx, ['snapper', '-c', config, 'status', `${pre}..${post}`])
    if (retcode !== 0) throw failure(stderr.trim())
    return parseStatus(stdout)
  })
}

/** Undo changes of files; all if none are named. */
export async function undo(ctx: FunctionContext, interval: Interval, files: readonly string[]): Promise<Dict> {
  const { config, pre, post } = interval
  const changed = await changesOf(ctx, interval)
  const unknown = files.filter((file) => !changed.has(file))
  if (unknown.length > 0) {
    throw failure(`Given file list contains files that are not present in the changed filelist: ${unknown.join(', ')}`)
  }
  const wanted = files.length > 0 ? files : [...changed.keys()]
  const printed = await outputOf(ctx, ['snapper', '-c', config, 'undochange', `${pre}..${post}`, ...wanted])
  const counts = [...printed.matchAll(/(\w+):(\S+)/g)].map(([, name, count]): [Value, Value] => [name!, count!])
  if (counts.length === 0) throw failure(`Error while processing Snapper response: ${printed}`)
  return new Map(counts)
}

const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Describe how a file changed. */
async function fileDiff(ctx: FunctionContext, before: string, after: string): Promise<Dict> {
  const read = async (path: string) => ((await isSourceFile(ctx.host, path)) ? ctx.host.read(path) : undefined)
  const [old, fresh] = [await read(before), await read(after)]
  const isBinary = [old, fresh].some((bytes) => bytes?.includes(0))
  const deed = old === undefined ? 'created' : fresh === undefined ? 'deleted' : 'changed'
  const facts: Dict = new Map([['comment', `${isBinary ? 'binary' : 'text'} file ${deed}`]])
  if (isBinary) {
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
    if (old !== undefined) facts.set('old_sha256_digest', digest(old))
    if (fresh !== undefined) facts.set('new_sha256_digest', digest(fresh))
    return facts
  }
  const text = (bytes: Uint8Array | undefined): string[] => (bytes === undefined ? [] : lines(decodeBytes(bytes)))
  return facts.set('diff', unifiedDiff(text(old), text(fresh), { from: before, to: after }).join(''))
}

/** Return how files changed between two snapshots, which are mounted during the comparison. */
export async function diff(ctx: FunctionContext, interval: Interval, only: string | null): Promise<Dict> {
  const { config, pre, post } = interval
  const paths = [...(await changesOf(ctx, interval)).keys()].filter((path) => only === null || path === only)
  const subvolume = str((await configs(ctx)).get(config)?.get('SUBVOLUME') ?? '/')
  const numbers = [pre, post].filter((number) => number !== 0)
  return during(ctx, 'showing differences between snapshots', { config, numbers }, async () => {
    const places = new Map<number, string>([[0, subvolume]])
    const found: Dict = new Map()
    try {
      for (const number of numbers) {
        places.set(number, str(await callService(ctx, 'MountSnapshot', 'sub', config, String(number), 'true')))
      }
      for (const path of paths) {
        if ((await ctx.host.stat(path))?.type === 'directory') continue
        const inside = path.startsWith(subvolume) ? path.slice(subvolume.length) : path
        const at = (number: number): string => posix.normalize(`${places.get(number)}/${inside}`)
        found.set(path, await fileDiff(ctx, at(pre), at(post)))
      }
    } finally {
      for (const number of numbers.filter((mounted) => places.has(mounted))) {
        await callService(ctx, 'UmountSnapshot', 'sub', config, String(number), 'true')
      }
    }
    return found
  })
}

/** Return the snapshots before and after a job. */
export async function intervalOfJob(ctx: FunctionContext, jid: string, config: string): Promise<Interval> {
  const own = (await snapshots(ctx, config)).filter((item) => (item.get('userdata') as Dict).get('salt_jid') === jid)
  const idOf = (type: string): Value | undefined => own.find((item) => item.get('type') === type)?.get('id')
  const [pre, post] = [idOf('pre'), idOf('post')]
  if (pre === undefined || post === undefined) throw failure(`Jid '${jid}' snapshots not found`)
  return { config, pre: Number(pre), post: Number(post) }
}
