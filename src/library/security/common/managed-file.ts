// The common part of the states of x509 and ssh_pki: file.managed manages the file, and its report is included; the
// content is recreated only if it differs.
import { type Dict, decodeBase64, failure, misuse, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

const FILE_OPTIONS = new Set(
  [
    'user group mode attrs makedirs dir_mode backup create follow_symlinks check_cmd tmp_dir tmp_ext selinux',
    'file_encoding encoding_errors win_owner win_perms win_deny_perms win_inheritance win_perms_reset',
  ].flatMap((line) => line.split(' ')),
)

const INTERNAL = new Set(
  [
    '__env__ __id__ __sls__ __reqs__ __pub_user __pub_arg __pub_jid __pub_fun __pub_tgt __pub_ret __pub_pid',
    '__pub_tgt_type __prereq__ __prerequired__ __umask__ fun order name state saltenv retry_options',
  ].flatMap((line) => line.split(' ')),
)

/** Split keywords into options of file.managed and others. */
export function splitOptions(kwargs: Options): { file: Map<string, Value>; rest: Map<string, Value> } {
  const file = new Map<string, Value>([['show_changes', false]])
  const rest = new Map<string, Value>()
  for (const [name, value] of kwargs) {
    if (FILE_OPTIONS.has(name)) file.set(name === 'file_encoding' ? 'encoding' : name, value)
    else if (!INTERNAL.has(name)) rest.set(name, value)
  }
  return { file, rest }
}

export function refuseUnknown(rest: Options): void {
  if (rest.size === 0) return
  throw misuse(`Unrecognized keyword arguments: ${str([...rest.keys()])}`)
}

export async function fileManaged(ctx: StateContext, name: string, options: Options, test: boolean): Promise<Dict> {
  const kwargs = new Map<string, Value>([...options, ['test', test || ctx.test], ['concurrent', true]])
  const answer = await ctx.call('state.single', ['file.managed', name], kwargs)
  if (!(answer instanceof Map)) {
    throw failure(`Failed running file.managed in ${str(ctx.low.get('state') ?? 'x509')} state: ${str(answer)}`)
  }
  return [...answer.values()][0] as Dict
}

/** A managed file: its comparison and creation. */
export interface Managed {
  /** Noun for the comments, such as certificate. */
  subject: string
  name: string
  file: Map<string, Value>
  encoding: string
  /** Encodings that are text. */
  textual: readonly string[]
  /** Refuse wrong options before anything else. */
  check?(): void
  /** Return the differences; `found` is false if the file does not contain such an object. */
  compare(path: string): Promise<{ changes: Dict; found: boolean; replace?: boolean }>
  /** Return the new contents: text, or bytes in base64. */
  make(changes: Dict): Promise<string>
  /** Whether a file with other contents counts as recreated. */
  recreates?: boolean
  /** The verb for a change of an existing file. Default: recreate. */
  verb?: string
  /** Return the change in words, such as "encrypted", if it is neither created nor recreated. */
  deed?(changes: Dict): string | undefined
}

const isSaltError = (error: unknown): error is SaltError =>
  error instanceof SaltError && ['CommandExecutionError', 'SaltInvocationError'].includes(error.code)

export async function manage(ctx: StateContext, managed: Managed): Promise<StateReturn> {
  const subRuns: Dict[] = []
  const report = (result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => {
    const runs = subRuns.length > 0 ? { sub_state_run: subRuns } : {}
    return { name: managed.name, changes, result, comment, ...runs }
  }
  try {
    return await managedRun(ctx, managed, subRuns, report)
  } catch (error) {
    if (isSaltError(error)) return report(false, error.message)
    throw error
  }
}

type Reporter = (result: boolean | null, comment: string, changes?: Value) => StateReturn

async function managedRun(ctx: StateContext, managed: Managed, runs: Dict[], report: Reporter): Promise<StateReturn> {
  const { name, subject, file, encoding } = managed
  managed.check?.()
  const settled = `The ${subject} is in the correct state`
  const note = (run: Dict): void => {
    const low = { name, state: 'file', __id__: ctx.low.get('__id__') ?? name, fun: 'managed' }
    runs.push(run.set('low', new Map(Object.entries(low))))
  }
  const probe = await fileManaged(ctx, name, new Map([...file, ['replace', false]]), true)
  if (probe.get('result') === false) {
    note(probe)
    return report(false, 'Problem while testing file.managed changes, see its output')
  }
  if (str(probe.get('comment') ?? '').includes('is not present and is not set for creation')) {
    note(probe)
    return report(true, settled)
  }
  const { path, relinked } = await realPath(ctx, name, file)
  const { changes, found, replace = false } = await managed.compare(path)
  const isOverSsh = str(ctx.low.get('fun') ?? '').endsWith('_ssh')
  if (replace || relinked) changes.set(isOverSsh && !found ? 'created' : 'replaced', name)
  if (changes.size === 0 && !truthy(probe.get('changes') ?? null)) {
    note(probe)
    return report(true, settled)
  }
  const verb = (found || managed.recreates) && changes.size > 0 ? (managed.verb ?? 'recreate') : 'create'
  if (ctx.test) {
    note(probe)
    return changes.size > 0 ? report(null, `The ${subject} would have been ${verb}d`, changes) : report(true, settled)
  }
  const isText = managed.textual.includes(encoding)
  const contents = changes.size > 0 ? await managed.make(changes) : null
  const isManaged = isText && contents !== null && !isOverSsh
  const options = new Map<string, Value>([...file, ['replace', isManaged]])
  if (isManaged) options.set('contents', contents)
  const kept = await fileManaged(ctx, name, options, false)
  note(kept)
  if (kept.get('result') === false) {
    return report(false, `Could not ${found ? 'update' : 'create'} file, see file.managed output`)
  }
  if (!isManaged && contents !== null)
    await ctx.host.write(path, isText ? contents : decodeBase64(Buffer.from(contents)))
  return report(
    true,
    changes.size > 0 ? `The ${subject} has been ${managed.deed?.(changes) ?? `${verb}d`}` : settled,
    changes,
  )
}

/** Return the target of a link; remove the link if it is not followed. */
async function realPath(ctx: StateContext, name: string, file: Options): Promise<{ path: string; relinked: boolean }> {
  if (!truthy(await ctx.call('file.is_link', [name]))) return { path: name, relinked: false }
  if (truthy(file.get('follow_symlinks') ?? true)) return { path: await ctx.host.realPath(name), relinked: false }
  if (!ctx.test) await ctx.call('file.remove', [name])
  return { path: name, relinked: true }
}

/** Return whether only the encoding differs, so that no new signature is needed. */
export const isOnly = (changes: Dict, ...names: string[]): boolean =>
  [...changes.keys()].every((change) => names.includes(str(change)))

const LINK =
  'The path of the private key is a symbolic link. Name the file that it leads to, or pass overwrite: true to replace the link'

/** Manage a private key for salt-ssh: a link at its place is never followed. */
export async function managedKey(
  ctx: StateContext,
  { name, overwrite }: { name: string; overwrite: boolean },
  run: () => Promise<StateReturn>,
): Promise<StateReturn> {
  if (!truthy(await ctx.call('file.is_link', [name]))) {
    const report = await run()
    return { ...report, comment: str(report.comment).replace('. Pass overwrite', ', pass overwrite') }
  }
  if (!overwrite) return { name, changes: new Map(), result: false, comment: LINK }
  const removed: Dict = new Map<Value, Value>([['removed_link', name]])
  if (ctx.test) {
    const comment = 'The private key would have been created'
    return { name, changes: removed.set('created', name), result: null, comment }
  }
  await ctx.call('file.remove', [name])
  const report = await run()
  return { ...report, changes: new Map([...removed, ...(report.changes as Dict)]) }
}
