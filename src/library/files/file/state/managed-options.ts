// The arguments of `managed`, in Salt's order, and the request built from them.
import { iterate, PyError, qualifiedTypeName, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, bind, frameOf, type StateContext } from '../../../../sdk/mod.ts'
import { DEFAULT_REQUEST, type FileRequest, IGNORED, offered, SIGNERS } from '../managed-request.ts'
import { isKeep, normalizeMode } from '../modes.ts'

export const windows = arg.textListOrDict('For Windows only', { optional: true })

export const managedArgs = {
  name: arg.string('Path of the file'),
  source: arg.any('Source of the content: a URL, a path, or a list of them; other types are refused', {
    optional: true,
  }),
  ...offered('source_hash', 'source_hash_name'),
  keep_source: arg.flag('Keep the source in the cache', { default: true }),
  ...offered('user', 'group'),
  mode: arg.textOrNumber("Mode in octal: text or a number; `keep` for the source's mode", { optional: true }),
  ...offered('attrs', 'template', 'makedirs', 'dir_mode', 'context'),
  replace: arg.flag('Replace the content of an existing file', { default: true }),
  ...offered('defaults', 'backup', 'show_changes'),
  create: arg.flag('Create the file when it does not exist', { default: true }),
  ...offered('contents'),
  tmp_dir: arg.text('Directory of the temporary file that `check_cmd` checks', { optional: true }),
  tmp_ext: arg.text('Extension of that temporary file', { default: '' }),
  contents_pillar: arg.textOrList('Pillar key of the content, or a list of keys', { optional: true }),
  contents_grains: arg.textOrList('Grain of the content, or a list of grains', { optional: true }),
  contents_newline: arg.flag('End the content with a newline', { default: true }),
  contents_delimiter: arg.text('Delimiter for nested pillar and grain keys', { default: ':' }),
  ...offered('encoding', 'encoding_errors'),
  allow_empty: arg.flag('Accept empty content', { default: true }),
  ...offered('follow_symlinks'),
  check_cmd: arg.text('Command that must succeed on the new file before it is put in place', { optional: true }),
  ...offered('skip_verify'),
  selinux: arg.textListOrDict('SELinux context: a dict of `seuser`, `serole`, `setype` and `serange`', {
    optional: true,
  }),
  win_owner: windows,
  win_perms: windows,
  win_deny_perms: windows,
  win_inheritance: arg.flag('For Windows only', { default: true }),
  win_perms_reset: arg.flag('For Windows only', { default: false }),
  ...offered('verify_ssl', 'use_etag', 'signature', 'source_hash_sig', ...SIGNERS, ...IGNORED, 'new_file_diff'),
  ...offered('sig_backend'),
  kwargs: arg.ignored('Passed on to the functions of the `file` module'),
}

export type ManagedOptions = Bound<typeof managedArgs>

const declaration = { args: managedArgs }

/** Return the options that another state gives to `managed`. */
export const managedOptions = (given: Readonly<Record<string, Value>>): ManagedOptions =>
  bind(declaration, 'managed', [], new Map(Object.entries(given))) as ManagedOptions

/** The options of the state, completed to the request that the functions of the module take. */
export type ManagedRequest = ManagedOptions & FileRequest

/** All fields of a request, so that no copy gets further ones. */
const DEFAULTS = { ...frameOf(declaration).defaults, ...DEFAULT_REQUEST } as ManagedRequest

/** Return the sources; throw Python's error for those that are not text. */
function sourcesOf(source: Value): FileRequest['source'] {
  if (source === null) return null
  if (textOf(source) !== undefined) return str(source)
  for (const each of iterate(source)) {
    if (textOf(each) !== undefined) continue
    throw new PyError('AttributeError', `'${qualifiedTypeName(each)}' object has no attribute 'lower'`)
  }
  return Array.isArray(source) ? [...source] : str(source)
}

/** Return the request of a state. Its contents are not looked up yet. */
export function managedRequest(ctx: StateContext, name: string, options: ManagedOptions): ManagedRequest {
  const { selinux } = options
  const source = sourcesOf(options.source)
  const part = (field: string): string | null => {
    const value = selinux instanceof Map ? (selinux.get(field) ?? null) : null
    return truthy(value) ? str(value) : null
  }
  const keep_mode = isKeep(options.mode)
  return {
    ...DEFAULTS,
    ...options,
    name,
    source,
    kwargs: new Map([...options.kwargs].filter(([key]) => key !== 'env')),
    saltenv: ctx.env,
    mode: keep_mode ? null : normalizeMode(options.mode),
    keep_mode,
    seuser: part('seuser'),
    serole: part('serole'),
    setype: part('setype'),
    serange: part('serange'),
  }
}
