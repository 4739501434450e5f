// `check_file_meta`: the changes that a file's content, owner and mode need.
import { recover } from '../../../../base/mod.ts'
import { type Dict, encodeText, isFailure, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type FileRequest, ignoresSome, selinuxOf } from '../managed-request.ts'
import { normalizeMode } from '../modes.ts'
import { compareAttributes, selinuxContext } from './attributes.ts'
import { configFlag, type Difference, fileDifference } from './differences.ts'
import type { HashSum } from './hashing.ts'
import { contextParts, namesSelinux } from './selinux-permissions.ts'
import { type Stats, stats } from './stats.ts'
import { discard, temporaryFile } from './temporary.ts'

export interface MetaChanges {
  changes: Dict
  /** Whether the change of content exceeds what the request ignores. */
  isSignificant: boolean
}

/** Return the changes of a request to a file, given the hash of its source. */
export async function metaChanges(
  ctx: FunctionContext,
  request: FileRequest,
  sum: HashSum | undefined,
): Promise<MetaChanges> {
  const changes: Dict = new Map()
  const current = await statsOrNothing(ctx, request, sum)
  if (current === undefined && !request.new_file_diff) {
    changes.set('newfile', request.name)
    return { changes, isSignificant: true }
  }
  let isSignificant = false
  if (sum !== undefined && sum.hsum !== current?.sum) {
    isSignificant = await sourceChange(ctx, { ...request, source_hash: sum.hsum }, current, changes)
  }
  if (request.contents !== null) isSignificant = await contentsChange(ctx, request, current, changes)
  if (current !== undefined) await factChanges(ctx, request, current, changes)
  return { changes, isSignificant }
}

async function statsOrNothing(
  ctx: FunctionContext,
  { name, follow_symlinks: follow }: FileRequest,
  sum: HashSum | undefined,
): Promise<Stats | undefined> {
  return recover(isFailure, undefined, () => stats(ctx, name, { hashType: sum?.hash_type ?? null, follow }))
}

/** Compare new content with the file; with empty content if there is no file. */
async function compared(
  ctx: FunctionContext,
  request: FileRequest,
  current: Stats | undefined,
  fresh: string,
  template: boolean,
): Promise<Difference> {
  if (current !== undefined || ignoresSome(request)) {
    return fileDifference(ctx, [request.name, fresh], { show_filenames: false, template, ignored: request })
  }
  const empty = await temporaryFile(ctx, '')
  try {
    return await fileDifference(ctx, [empty, fresh], { show_filenames: false })
  } finally {
    await discard(ctx, empty)
  }
}

async function sourceChange(
  ctx: FunctionContext,
  request: FileRequest,
  current: Stats | undefined,
  changes: Dict,
): Promise<boolean> {
  const { source, saltenv, source_hash, verify_ssl } = request
  let sfn: string | false = request.sfn
  if (!sfn && truthy(source)) sfn = await ctx.call('cp.cache_file', [source, saltenv], { source_hash, verify_ssl })
  if (!sfn) {
    changes.set('sum', 'Checksum differs')
    return false
  }
  try {
    const difference = await compared(ctx, request, current, sfn, true)
    changes.set('diff', difference.text)
    return difference.isSignificant
  } catch (error) {
    if (!isFailure(error)) throw error
    changes.set('diff', error.message)
    return false
  }
}

async function contentsChange(
  ctx: FunctionContext,
  request: FileRequest,
  current: Stats | undefined,
  changes: Dict,
): Promise<boolean> {
  const { contents } = request
  const made = await temporaryFile(ctx, contents instanceof Uint8Array ? contents : encodeText(str(contents)))
  let difference: Difference
  try {
    difference = await compared(ctx, request, current, made, false)
  } catch (error) {
    if (!isFailure(error)) throw error
    ctx.log('error', `Failed to diff files: ${error.message}`)
    difference = { text: error.message, isSignificant: false }
  } finally {
    await discard(ctx, made)
  }
  if (difference.text !== '') {
    changes.set('diff', (await configFlag(ctx, 'obfuscate_templates')) ? '<Obfuscated Template>' : difference.text)
  }
  return difference.isSignificant
}

async function factChanges(ctx: FunctionContext, request: FileRequest, current: Stats, changes: Dict): Promise<void> {
  const { name, user, group, attrs } = request
  if (user !== null && user !== current.user && user !== current.uid) changes.set('user', user)
  if (group !== null && group !== current.group && group !== current.gid) changes.set('group', group)
  const mode = normalizeMode(request.mode)
  if (mode !== null && mode !== current.mode) changes.set('mode', mode)
  if (truthy(attrs)) {
    const difference = await compareAttributes(ctx, name, str(attrs))
    if (difference && (difference.added !== '' || difference.removed !== '')) changes.set('attrs', attrs)
  }
  const selinux = selinuxOf(request)
  if (!namesSelinux(selinux)) return
  const parts = contextParts(await selinuxContext(ctx, name))
  for (const part of ['user', 'role', 'type', 'range'] as const) {
    const wanted = selinux[part]
    if (wanted && wanted !== parts?.[part]) changes.set('selinux', new Map<Value, Value>([[part, wanted]]))
  }
}
