// `check_file_meta`: what would change if a file got this content, owner and mode.
import { type Dict, encodeText, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { compareAttributes, type SelinuxWish, selinuxContext } from './attributes.ts'
import { configFlag, type Difference, fileDifference, isIndifferent } from './differences.ts'
import type { HashSum } from './hashing.ts'
import { isFailure } from './rewriting.ts'
import { contextParts, wantsSelinux } from './selinux-permissions.ts'
import { normalizeMode, type Stats, stats } from './stats.ts'
import { discard, temporaryFile } from './temporary.ts'
import type { Indifference } from './text.ts'

export interface MetaRequest {
  name: Value
  sfn: Value
  source: Value
  sum: HashSum | undefined
  user: Value
  group: Value
  mode: Value
  attrs: Value
  saltenv: Value
  contents: Value
  selinux: SelinuxWish
  verifySsl: Value
  follow: boolean
  indifference: Indifference
  newFileDiff: boolean
}

export interface MetaChanges {
  changes: Dict
  /** Whether there is a difference that matters; only told when some do not. */
  matters: boolean
}

export async function metaChanges(ctx: FunctionContext, request: MetaRequest): Promise<MetaChanges> {
  const changes: Dict = new Map()
  const current = await statsOrNothing(ctx, request)
  if (current === undefined && !request.newFileDiff) {
    changes.set('newfile', request.name)
    return { changes, matters: true }
  }
  let matters = false
  if (request.sum?.hsum !== undefined && request.sum.hsum !== current?.sum) {
    matters = await sourceChange(ctx, request, current, changes)
  }
  if (request.contents !== null) matters = await contentsChange(ctx, request, current, changes)
  if (current !== undefined) await factChanges(ctx, request, current, changes)
  return { changes, matters }
}

async function statsOrNothing(ctx: FunctionContext, { name, sum, follow }: MetaRequest): Promise<Stats | undefined> {
  try {
    return await stats(ctx, name, { hashType: sum?.hash_type ?? null, follow })
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

/** Against what is there, or against nothing. */
async function compared(
  ctx: FunctionContext,
  request: MetaRequest,
  current: Stats | undefined,
  fresh: Value,
  template: boolean,
): Promise<Difference> {
  const { indifference } = request
  if (current !== undefined || isIndifferent(indifference)) {
    return fileDifference(ctx, [request.name, fresh], { showFilenames: false, template, indifference })
  }
  const empty = await temporaryFile(ctx, '')
  try {
    return await fileDifference(ctx, [empty, fresh], { showFilenames: false })
  } finally {
    await discard(ctx, empty)
  }
}

async function sourceChange(
  ctx: FunctionContext,
  request: MetaRequest,
  current: Stats | undefined,
  changes: Dict,
): Promise<boolean> {
  let { sfn } = request
  if (!truthy(sfn) && truthy(request.source)) {
    const options = { source_hash: request.sum!.hsum, verify_ssl: request.verifySsl }
    sfn = await ctx.call('cp.cache_file', [request.source, request.saltenv], options)
  }
  if (!truthy(sfn)) {
    changes.set('sum', 'Checksum differs')
    return false
  }
  try {
    const difference = await compared(ctx, request, current, sfn, true)
    changes.set('diff', difference.text)
    return difference.matters
  } catch (error) {
    if (!isFailure(error)) throw error
    changes.set('diff', error.message)
    return false
  }
}

async function contentsChange(
  ctx: FunctionContext,
  request: MetaRequest,
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
    difference = { text: error.message, matters: false }
  } finally {
    await discard(ctx, made)
  }
  if (difference.text !== '') {
    changes.set('diff', (await configFlag(ctx, 'obfuscate_templates')) ? '<Obfuscated Template>' : difference.text)
  }
  return difference.matters
}

async function factChanges(ctx: FunctionContext, request: MetaRequest, current: Stats, changes: Dict): Promise<void> {
  const { user, group, attrs, selinux } = request
  if (user !== null && user !== current.user && user !== current.uid) changes.set('user', user)
  if (group !== null && group !== current.group && group !== current.gid) changes.set('group', group)
  const mode = normalizeMode(request.mode)
  if (mode !== null && mode !== current.mode) changes.set('mode', mode)
  const name = str(request.name)
  if (truthy(attrs)) {
    const difference = await compareAttributes(ctx, name, str(attrs))
    if (difference && (difference.added !== '' || difference.removed !== '')) changes.set('attrs', attrs)
  }
  if (!wantsSelinux(selinux)) return
  const parts = contextParts(await selinuxContext(ctx, name))
  for (const part of ['user', 'role', 'type', 'range'] as const) {
    if (!truthy(selinux[part]) || selinux[part] === parts?.[part]) continue
    changes.set('selinux', new Map<Value, Value>([[part, selinux[part]]]))
  }
}
