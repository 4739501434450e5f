// The options of `managed`, in Salt's order.
import type { Value } from '../../../../data/mod.ts'
import { arg } from '../../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })
const on = (doc: string) => arg.any(doc, { default: true })
const empty = (doc: string) => arg.any(doc, { default: '' })
const windows = optional('For Windows only')

export const managedArgs = {
  name: arg.string('The path'),
  source: optional('Where the content comes from: a URL, a path, or a list of them of which the first found is taken'),
  source_hash: empty('The hash of the source: itself, `type=hash`, or where to find it'),
  source_hash_name: optional('The name by which the file of hashes lists the source'),
  keep_source: on('Keep the source in the cache'),
  user: optional('The owner'),
  group: optional('The group'),
  mode: optional("The mode; `keep` takes the source's"),
  attrs: optional('Attributes of the file system, as letters of `chattr`'),
  template: optional('The template engine'),
  makedirs: off('Make the directories above it'),
  dir_mode: optional('The mode of directories that are made'),
  context: optional('Template variables, over the defaults'),
  replace: on('Replace the content of an existing file'),
  defaults: optional('Template variables'),
  backup: empty('Keep the old file: `minion`'),
  show_changes: on('Tell the differences'),
  create: on('Make the file when it is not there'),
  contents: optional('The content: a text, or a list of lines'),
  tmp_dir: optional('Where `check_cmd` sees the file'),
  tmp_ext: empty('How the name of that file ends'),
  contents_pillar: optional('The pillar key of the content'),
  contents_grains: optional('The grain of the content'),
  contents_newline: on('End the content with a newline'),
  contents_delimiter: arg.any('Parts the keys of pillar and grains', { default: ':' }),
  encoding: optional('The encoding of the file'),
  encoding_errors: arg.any('What to do with what cannot be encoded', { default: 'strict' }),
  allow_empty: on('Accept empty content'),
  follow_symlinks: on('Change what a link points to'),
  check_cmd: optional('A command that must succeed on the new file before it is put in place'),
  skip_verify: off('Do not check the hash of a remote source'),
  selinux: optional('`seuser`, `serole`, `setype`, `serange`'),
  win_owner: windows,
  win_perms: windows,
  win_deny_perms: windows,
  win_inheritance: arg.any('For Windows only', { default: true }),
  win_perms_reset: arg.any('For Windows only', { default: false }),
  verify_ssl: on('Check the certificate of a server'),
  use_etag: arg.flag('Ask a server whether the file has changed', { default: false }),
  signature: optional('Where the signature of the source is'),
  source_hash_sig: optional('Where the signature of the file of hashes is'),
  signed_by_any: optional('Keys of which one must have signed'),
  signed_by_all: optional('Keys that must all have signed'),
  keyring: optional('The keyring'),
  gnupghome: optional('The directory of GnuPG'),
  ignore_ordering: off('Do not count a change of order'),
  ignore_whitespace: off('Do not count a change of spaces'),
  ignore_comment_characters: optional('Do not count changes after these'),
  new_file_diff: off('Tell the whole content of a new file'),
  sig_backend: arg.any('The module that checks signatures', { default: 'gpg' }),
  kwargs: arg.ignored('Handed on'),
}

export type ManagedOptions = Record<string, Value> & { name: string; kwargs: ReadonlyMap<string, Value> }

const DEFAULTS: Readonly<Record<string, Value>> = Object.fromEntries(
  Object.entries(managedArgs).flatMap(([name, declared]) =>
    declared.default === undefined ? [] : [[name, declared.default]],
  ),
)

/** The options of a call from another state. */
export const withDefaults = (given: Record<string, Value> & { name: string }): ManagedOptions =>
  ({ ...DEFAULTS, kwargs: new Map(), ...given }) as unknown as ManagedOptions
