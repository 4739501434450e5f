// Patches. `patch` itself reports whether a patch applies; rejected hunks are tried in reverse, to detect a patch that is
// already applied.
import {
  type Dict,
  isFailure,
  parseSaltUrl,
  redactUrl,
  shlexSplit,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  dirName,
  exists,
  expandUser,
  isAbsolute,
  isDirectory,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { type Answer, begin, messageOf } from './answer.ts'
import { removeFile } from './managed.ts'

const patchArgs = {
  name: arg.string('Path of the file or directory'),
  source: arg.text('URL or path of the patch', { optional: true }),
  source_hash: arg.any('Hash of the patch: the hash, `type=hash`, or the path or URL of a file of hashes', {
    optional: true,
  }),
  ...offered('source_hash_name', 'skip_verify', 'template', 'context', 'defaults'),
  options: arg.any('Options of `patch`: text; another type is ignored', { default: '' }),
  reject_file: arg.any('Path of a file for rejected hunks: text', { optional: true }),
  strip: arg.text('Number of leading parts to drop from paths in the patch', { optional: true }),
  saltenv: arg.text('Salt environment of the patch', { optional: true }),
  kwargs: arg.ignored(),
}

type Options = Bound<typeof patchArgs>

const FORBIDDEN = ['-N', '--forward', '-r', '--reject-file', '-o', '--output']

interface Switches {
  kept: string[]
  strip: string | number | null
}

const wrongStrip = (option: string): string =>
  `Invalid format for '${option}' CLI option. Consider using the 'strip' option for this state.`

const integerOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : undefined

/** Return the options for the program `patch`, or the error that the user gave an option that the state sets. */
function readSwitches(options: Value, strip: string | null): Switches | string {
  const given = shlexSplit(textOf(options) ?? '')
  const forbidden = given.filter((option) => FORBIDDEN.some((each) => option.startsWith(each)))
  const switches: Switches = { kept: [], strip }
  for (let index = 0; index < given.length; index++) {
    const option = given[index]!
    let number: number | undefined
    if (option.startsWith('-p')) {
      number = integerOf(option.slice(2))
      if (number === undefined) return wrongStrip('-p')
    } else if (option.startsWith('--strip')) {
      number = integerOf(option.includes('=') ? option.slice(option.lastIndexOf('=') + 1) : given[++index])
      if (number === undefined) return wrongStrip('-strip')
    }
    if (number === undefined) switches.kept.push(option)
    else switches.strip = number
  }
  return forbidden.length > 0 ? `The following CLI options are not allowed: ${forbidden.join(', ')}` : switches
}

async function pathFault(ctx: StateContext, path: string): Promise<string | undefined> {
  if (path === '') return 'A file/directory to be patched is required'
  if (!isAbsolute(path)) return `${path} is not an absolute path`
  return (await exists(ctx, path)) ? undefined : `${path} does not exist`
}

async function rejectFault(ctx: StateContext, reject: Value): Promise<string | undefined> {
  if (reject === null) return undefined
  const path = textOf(reject)
  if (path === undefined) return `Invalid path '${str(reject)}' for reject_file`
  if (!isAbsolute(dirName(path))) return `'${path}' is not an absolute path`
  if (await isDirectory(ctx, dirName(path))) return undefined
  return `Parent directory for reject_file '${path}' either does not exist, or is not a directory`
}

/** Return the URL of a source with its environment. */
function placed(source: string, saltenv: string | null, answer: Answer): string {
  if (saltenv === null || !source.startsWith('salt://')) return source
  const named = parseSaltUrl(source).saltenv
  if (named === undefined) return `${source}?saltenv=${saltenv}`
  if (named !== saltenv) {
    const ignoring = "Ignoring 'saltenv' option in favor of saltenv included in the source URL."
    answer.warnings = [...(answer.warnings ?? []), ignoring]
  }
  return source
}

/** Return the path of the patch, rendered if it is a template, or the reason of a failure. */
async function fetchPatch(ctx: StateContext, source: string, options: Options): Promise<{ path: string } | string> {
  const { template, source_hash, source_hash_name, context, defaults, skip_verify } = options
  const facts = [source, source_hash, source_hash_name, null, null, null, null]
  const rendering = [ctx.env, context, defaults, skip_verify]
  const args = ['', template, ...facts, ...rendering]
  const [file = null, , comment = null] = await ctx.call('file.get_managed', args)
  if (truthy(comment)) return str(comment)
  const path = truthy(file) ? file : await ctx.call('cp.cache_file', [source, ctx.env])
  return truthy(path) ? { path: str(path) } : `Source file ${redactUrl(source)} not found`
}

interface Job {
  path: string
  patchFile: string
  switches: Switches
  reject: Value
  isDirectory: boolean
}

const call = async (ctx: StateContext, job: Job, file: string, options: string[], dryRun = false): Promise<Dict> => {
  const all = { options: [...job.switches.kept, ...options], dry_run: dryRun }
  return ctx.call('file.patch', [job.path, file], all)
}

/** Try the patch; return a report when it does not apply or is already applied, else the outcome. */
async function tryOut(ctx: StateContext, answer: Answer, job: Job, rejects: string, output: string) {
  const { strip } = job.switches
  const stripped = job.isDirectory && strip !== null ? [`-p${str(strip)}`] : []
  const outcome = await call(ctx, job, job.patchFile, ['-N', '-r', rejects, '-o', output, ...stripped])
  if (outcome.get('retcode') === 0) return { outcome, stripped }
  const rejected = await ctx.host.stat(rejects)
  const errors = str(outcome.get('stderr') ?? '')
  if (!rejected || rejected.size === 0) return { report: { ...answer, result: false, comment: errors } }
  const reverse = await call(ctx, job, rejects, ['-R', '-f'], true)
  if (outcome.get('retcode') === 2 && errors !== '') return { report: { ...answer, result: false, comment: errors } }
  if (reverse.get('retcode') === 0) return { report: { ...answer, result: true, comment: 'Patch was already applied' } }
  let comment = 'Patch would not apply cleanly, no changes made. Results of dry-run are below.'
  if (job.reject === null) {
    comment += ' Run state again using the reject_file option to save rejects to a persistent file.'
  }
  return { report: { ...answer, comment: `${comment}\n\n${nested(outcome)}` } }
}

/** Return an outcome as the `nested` outputter shows it, without colours. */
function nested(outcome: Dict): string {
  const pad = ' '.repeat(14)
  const lines = [...outcome]
    .sort(([a], [b]) => (str(a) < str(b) ? -1 : 1))
    .flatMap(([key, value]) => {
      const text = str(value)
      const shown = text === '' ? [] : text.split('\n').map((line) => `${pad}    ${line}`)
      return [`${pad}${str(key)}:`, ...shown]
    })
  return [`${pad}----------`, ...lines].join('\n')
}

async function applyPatch(ctx: StateContext, answer: Answer, job: Job): Promise<Answer> {
  const made: string[] = []
  const scratch = async (): Promise<string> => {
    const path = await ctx.host.tempFile({ prefix: '__salt.tmp.' })
    made.push(path)
    return path
  }
  try {
    const rejects = job.reject === null ? await scratch() : str(job.reject)
    const tried = await tryOut(ctx, answer, job, rejects, await scratch())
    if ('report' in tried) return tried.report
    if (ctx.test) return { ...answer, result: null, comment: 'The patch would be applied', changes: tried.outcome }
    const changes = await call(ctx, job, job.patchFile, tried.stripped)
    const result = changes.get('retcode') === 0
    return { ...answer, changes, result, comment: result ? 'Patch successfully applied' : 'Failed to apply patch' }
  } finally {
    for (const path of made) await removeFile(ctx, path)
  }
}

async function patchPath(ctx: StateContext, options: Options): Promise<Answer> {
  const answer: Answer = { ...begin(options.name), result: false }
  const failed = (comment: string): Answer => ({ ...answer, comment })
  if ((await ctx.host.which('patch')) === undefined) return failed('patch executable not found on minion')
  const path = await expandUser(ctx, options.name)
  const wrong = await pathFault(ctx, path)
  if (wrong !== undefined) return failed(wrong)
  for (const old of ['hash', 'dry_run_first'].filter((each) => options.kwargs.has(each))) {
    const unused = `The '${old}' argument is no longer used and has been ignored.`
    answer.warnings = [...(answer.warnings ?? []), unused]
  }
  const reject = options.reject_file
  const badReject = await rejectFault(ctx, reject)
  if (badReject !== undefined) return failed(badReject)
  const switches = readSwitches(options.options, options.strip)
  if (typeof switches === 'string') return failed(switches)
  let source: string
  try {
    const found = await ctx.call('file.source_list', [options.source, options.source_hash, ctx.env])
    source = placed(str(found[0] ?? null), options.saltenv, answer)
  } catch (error) {
    if (isFailure(error)) return failed(error.message)
    throw error
  }
  let fetched: { path: string } | string
  try {
    fetched = await fetchPatch(ctx, source, options)
  } catch (error) {
    return failed(`Failed to cache patch file ${redactUrl(source)}: ${messageOf(error)}`)
  }
  if (typeof fetched === 'string') return failed(`Unable to manage file: ${fetched}`)
  const job = { path, patchFile: fetched.path, switches, reject, isDirectory: await isDirectory(ctx, path) }
  return applyPatch(ctx, answer, job)
}

export const patch = state({
  doc: 'Ensure that a patch is applied to a file or directory.',
  args: patchArgs,
  run: patchPath,
})
