// The request of `file.managed`: wanted content, owner and mode of a file. The state builds one from its arguments; the
// functions of the module that do its work (`get_managed`, `check_managed_changes`, `manage_file` …) bind the part that
// they take. A field always has the name of Salt's argument.
import { truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, type Bound } from '../../../sdk/mod.ts'

const optional = { optional: true } as const
const off = { default: false } as const
const on = { default: true } as const

const fields = {
  name: arg.path('Path of the file'),
  source: arg.textOrList(
    'Source of the content: a URL, a path, or a list of them; the first one found is used',
    optional,
  ),
  source_hash: arg.any('Hash of the source: the hash, `type=hash`, or the path or URL of a file of hashes', {
    default: '',
  }),
  source_hash_name: arg.text('Name of the source in the file of hashes', optional),
  source_sum: arg.any('Hash of the content: a dict of `hsum` and `hash_type`', optional),
  sfn: arg.text('Path of the local copy of the source', { default: '' }),
  ret: arg.any('Report of a state to add to: a dict; an empty value starts a new one', optional),
  user: arg.textOrNumber('Owner: a name or a uid', optional),
  group: arg.textOrNumber('Group: a name or a gid', optional),
  mode: arg.textOrNumber('Mode in octal: text or a number, such as `644`', optional),
  attrs: arg.any('Attributes as letters of `chattr`; a value that is not text is ignored', optional),
  template: arg.text('Template engine, such as `jinja`', optional),
  context: arg.textListOrDict('Template variables: a dict; they override `defaults`', optional),
  defaults: arg.textListOrDict('Template variables: a dict', optional),
  saltenv: arg.text('Salt environment', { default: 'base' }),
  contents: arg.any('Content: text, bytes or a list of lines', optional),
  backup: arg.text('Backup of the old file: `minion`, or empty for none', { default: '' }),
  makedirs: arg.flag('Create missing parent directories', off),
  dir_mode: arg.textOrNumber('Mode of created directories in octal: text or a number', optional),
  show_changes: arg.flag('Report the difference', on),
  follow_symlinks: arg.flag('Follow a symbolic link and change its target', on),
  skip_verify: arg.flag('Skip the hash check of a remote source', off),
  keep_mode: arg.flag('Use the mode of the source', off),
  encoding: arg.text('Encoding of the file', optional),
  encoding_errors: arg.text('Handling of characters that the encoding lacks, as in Python: `strict`, `ignore` …', {
    default: 'strict',
  }),
  seuser: arg.text('SELinux user', optional),
  serole: arg.text('SELinux role', optional),
  setype: arg.text('SELinux type', optional),
  serange: arg.text('SELinux range', optional),
  verify_ssl: arg.flag('Verify the TLS certificate of the server', on),
  use_etag: arg.flag('Use the ETag of an HTTP server to detect changes', off),
  signature: arg.any(
    'URL of the detached signature of the source, a list of URLs, or True for an inline one',
    optional,
  ),
  source_hash_sig: arg.any('URL of the signature of the file of hashes, a list, or True for an inline one', optional),
  signed_by_any: arg.textOrList('Signing keys of which one must have signed: text or a list', optional),
  signed_by_all: arg.textOrList('Signing keys that must all have signed: text or a list', optional),
  keyring: arg.text('Keyring of the signing keys', optional),
  gnupghome: arg.text('GnuPG home directory', optional),
  sig_backend: arg.text('Module that verifies signatures', { default: 'gpg' }),
  ignore_ordering: arg.flag('Do not trigger requisites when only the order of lines changes', off),
  ignore_whitespace: arg.flag('Do not trigger requisites when only whitespace changes', off),
  ignore_comment_characters: arg.textOrList(
    'Do not trigger requisites when only text after this mark changes: text or a list of marks',
    optional,
  ),
  new_file_diff: arg.flag('Report the whole content of a new file', off),
}

type Fields = typeof fields
export type Field = keyof Fields

export type FileRequest = Bound<Fields> & {
  /** Further keywords; templates see them as variables. */
  kwargs: ReadonlyMap<string, Value>
}

/** Return the declarations of some fields, in the order of their names. */
export function offered<const F extends Field>(...names: readonly F[]): Pick<Fields, F> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<Fields, F>
}

/** Return the declarations of some fields as arguments that must be given; the optional ones may be None. */
export function required<const F extends Field>(...names: readonly F[]): Pick<Fields, F> {
  const declared = names.map((name) => {
    const { default: fallback, ...bare } = fields[name] as Arg<unknown>
    return [name, fallback === null ? { ...bare, nullable: true } : bare]
  })
  return Object.fromEntries(declared) as Pick<Fields, F>
}

/** A request with the default of each field. V8 makes a new hidden class each time that a copy of it gets a further field. */
export const DEFAULT_REQUEST = {
  ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default])),
  kwargs: new Map(),
} as unknown as FileRequest

/** Return a request; fields that are not given have their defaults. */
export const fileRequest = (given: Partial<FileRequest> & Pick<FileRequest, 'name'>): FileRequest => ({
  ...DEFAULT_REQUEST,
  ...given,
})

const OWNER = ['user', 'group', 'mode', 'attrs'] as const
const SOURCE = ['source', 'source_hash', 'source_hash_name'] as const

/** The arguments that functions of the module require, in Salt's order. */
export const REQUIRED = {
  get_managed: ['name', 'template', ...SOURCE, ...OWNER, 'saltenv', 'context', 'defaults'],
  check_managed_changes: ['name', ...SOURCE, ...OWNER, 'template', 'context', 'defaults', 'saltenv'],
  check_file_meta: ['name', 'sfn', 'source', 'source_sum', ...OWNER, 'saltenv'],
  manage_file: ['name', 'sfn', 'ret', 'source', 'source_sum', ...OWNER, 'saltenv', 'backup'],
} as const satisfies Record<string, readonly Field[]>

export const SELINUX = ['seuser', 'serole', 'setype', 'serange'] as const
export const SIGNERS = ['signed_by_any', 'signed_by_all', 'keyring', 'gnupghome'] as const
export const IGNORED = ['ignore_ordering', 'ignore_whitespace', 'ignore_comment_characters'] as const

/** Return the values of some fields, as positional arguments of a call. */
export const positional = (request: Readonly<Record<Field, Value>>, ...names: Field[]): Value[] =>
  names.map((name) => request[name])

/** Return some fields by name, as keywords of a call. */
export const keywords = (request: FileRequest, ...names: Field[]): [string, Value][] =>
  names.map((name) => [name, request[name]])

export type Ignored = Pick<FileRequest, (typeof IGNORED)[number]>

/** Whether some differences are ignored: the others are then reported as significant. */
export const ignoresSome = (request: Ignored): boolean =>
  request.ignore_ordering || request.ignore_whitespace || truthy(request.ignore_comment_characters)

/** The SELinux context that a file shall have; null for a part that stays. */
export interface SelinuxContext {
  user: string | null
  role: string | null
  type: string | null
  range: string | null
}

export const selinuxOf = (request: Pick<FileRequest, (typeof SELINUX)[number]>): SelinuxContext => ({
  user: request.seuser,
  role: request.serole,
  type: request.setype,
  range: request.serange,
})
