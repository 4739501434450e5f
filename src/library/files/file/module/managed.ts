// Functions of `file` behind `file.managed`: sources, templates, differences, and putting content in its place.
import { type Dict, schemeOf, str, textOf, truthy, tuple, type Value } from '../../../../data/mod.ts'
import { arg, changes, expandUser, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { fileDifference, isIndifferent } from './differences.ts'
import { type HashSum, sumDict } from './hashing.ts'
import { manageFile } from './managing.ts'
import { type MetaRequest, metaChanges } from './metadata.ts'
import { dict } from './rewriting.ts'
import { chooseSource, ENGINES, fetchManaged, type Managed, templateContext } from './sources.ts'
import { discard } from './temporary.ts'
import type { Indifference } from './text.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })

const name = arg.any('The path')
const source = arg.any('Where the content comes from')
const template = arg.any('The template engine')
const saltenv = arg.any('The environment')
const owner = {
  user: arg.any('The user it belongs to'),
  group: arg.any('The group it belongs to'),
  mode: arg.any('The mode, in octal'),
  attrs: arg.any('Attributes as `chattr` names them'),
}
const variables = { context: arg.any('Template variables'), defaults: arg.any('Template variables that yield') }
const hash = {
  source_hash: arg.any('The hash of the source, or where it is listed'),
  source_hash_name: arg.any('The name in the list'),
}
const selinux = {
  seuser: optional('The user of the SELinux context'),
  serole: optional('The role of the SELinux context'),
  setype: optional('The type of the SELinux context'),
  serange: optional('The range of the SELinux context'),
}
const indifference = {
  ignore_ordering: arg.flag('Whether the order of lines does not matter', { default: false }),
  ignore_whitespace: arg.flag('Whether blanks do not matter', { default: false }),
  ignore_comment_characters: optional('What comments, which do not matter, begin with'),
}
const further = arg.open('Signatures, and further template variables')
const verify_ssl = arg.flag('Whether certificates are checked', { default: true })
const skip_verify = arg.flag('Whether the hash of the source does not matter', { default: false })
const follow = arg.flag('Whether a link stands for its target', { default: false })

type Given = Readonly<Record<string, Value | Map<string, Value>>>

const value = (given: Given, key: string): Value => (given[key] as Value | undefined) ?? null
const options = (given: Given): Map<string, Value> => (given['options'] as Map<string, Value> | undefined) ?? new Map()

function indifferenceOf(given: Given): Indifference {
  return {
    ordering: truthy(value(given, 'ignore_ordering')),
    whitespace: truthy(value(given, 'ignore_whitespace')),
    comments: value(given, 'ignore_comment_characters'),
  }
}

const selinuxOf = (given: Given) => ({
  user: value(given, 'seuser'),
  role: value(given, 'serole'),
  type: value(given, 'setype'),
  range: value(given, 'serange'),
})

function sumOf(sum: Value): HashSum | undefined {
  const hsum = sum instanceof Map ? textOf(sum.get('hsum') ?? null) : undefined
  if (!(sum instanceof Map) || hsum === undefined) return undefined
  return { hsum: hsum.toLowerCase(), hash_type: str(sum.get('hash_type') ?? 'sha256') }
}

const SIGNATURES = ['source_hash_sig', 'signed_by_any', 'signed_by_all', 'keyring', 'gnupghome', 'sig_backend']

function fetched(ctx: FunctionContext, given: Given): Promise<Managed> {
  const further = options(given)
  for (const key of SIGNATURES) if (key in given) further.set(key, value(given, key))
  return fetchManaged(ctx, {
    name: value(given, 'name'),
    template: value(given, 'template'),
    source: value(given, 'source'),
    sourceHash: value(given, 'source_hash'),
    sourceHashName: value(given, 'source_hash_name'),
    user: value(given, 'user'),
    group: value(given, 'group'),
    mode: value(given, 'mode'),
    attrs: value(given, 'attrs'),
    saltenv: value(given, 'saltenv'),
    context: value(given, 'context'),
    defaults: value(given, 'defaults'),
    skipVerify: truthy(value(given, 'skip_verify')),
    verifySsl: value(given, 'verify_ssl') ?? true,
    useEtag: truthy(value(given, 'use_etag')),
    options: further,
  })
}

function metaRequest(given: Given, more: Partial<MetaRequest>): MetaRequest {
  return {
    name: value(given, 'name'),
    sfn: value(given, 'sfn'),
    source: value(given, 'source'),
    sum: sumOf(value(given, 'source_sum')),
    user: value(given, 'user'),
    group: value(given, 'group'),
    mode: value(given, 'mode'),
    attrs: value(given, 'attrs'),
    saltenv: value(given, 'saltenv'),
    contents: value(given, 'contents'),
    selinux: selinuxOf(given),
    verifySsl: value(given, 'verify_ssl') ?? true,
    follow: truthy(value(given, 'follow_symlinks')),
    indifference: indifferenceOf(given),
    newFileDiff: truthy(value(given, 'new_file_diff')),
    ...more,
  }
}

/** The changes, or what is wrong with the source. */
async function plannedChanges(
  ctx: FunctionContext,
  given: Given,
): Promise<{ comment: string } | { changes: Dict; matters: boolean }> {
  const [source, source_hash] = await chooseSource(
    ctx,
    value(given, 'source'),
    value(given, 'source_hash'),
    value(given, 'saltenv'),
  )
  const chosen = { ...given, source, source_hash }
  let managed: Managed = { sfn: '', sum: undefined, comment: '' }
  let mode = value(given, 'mode')
  if (value(given, 'contents') === null) {
    managed = await fetched(ctx, chosen)
    if (managed.comment !== '') {
      await discard(ctx, managed.sfn)
      return { comment: managed.comment }
    }
    const isReadable = ['salt', 'file'].includes(schemeOf(str(source))) || str(source).startsWith('/')
    if (truthy(managed.sfn) && truthy(value(given, 'keep_mode')) && isReadable) {
      mode = (await ctx.call('cp.stat_file', [source], { saltenv: value(given, 'saltenv'), octal: true })) ?? mode
    }
  }
  const { sfn, sum } = managed
  const result = await metaChanges(ctx, metaRequest(chosen, { sfn, sum, mode }))
  await discard(ctx, sfn)
  return result
}

const sources = {
  source_list: reads({
    doc: 'The first source of a list that is there.',
    args: { source, source_hash: arg.any('The hash of the source'), saltenv },
    returns: ret.list('The source and its hash'),
    example: "file.source_list salt://http/httpd.conf '{hash_type: 'md5', 'hsum': <md5sum>}' base",
    run: async (ctx, { source, source_hash, saltenv }) => tuple(await chooseSource(ctx, source, source_hash, saltenv)),
  }),
  apply_template_on_contents: reads({
    doc: 'A text rendered as a template.',
    args: { contents: arg.string('The text'), template, ...variables, saltenv },
    returns: ret.any('The rendered text; a dict with `result` and `comment` for an unknown engine'),
    example: "file.apply_template_on_contents contents='This is a {{ template }} string.' template=jinja",
    run: async (ctx, { contents, template, context, defaults, saltenv }) => {
      if (!ENGINES.has(str(template))) {
        return dict({ result: false, comment: `Specified template format ${str(template)} is not supported` })
      }
      const all = templateContext(new Map(), defaults, context)
      const request = { text: contents, renderer: str(template), saltenv: str(saltenv), context: all, asFile: true }
      return str(await ctx.render(request))
    },
  }),
  get_managed: reads({
    doc: 'Bring a source here, render it, and tell its hash.',
    args: {
      name,
      template,
      source,
      ...hash,
      ...owner,
      saltenv,
      ...variables,
      skip_verify,
      verify_ssl,
      use_etag: arg.flag('Whether the server is asked for changes', { default: false }),
      source_hash_sig: optional('The signature of the list of hashes'),
      signed_by_any: optional('Keys of which one must have signed'),
      signed_by_all: optional('Keys that must all have signed'),
      keyring: optional('The keyring'),
      gnupghome: optional('The home of GnuPG'),
      ...indifference,
      sig_backend: arg.any('The module that checks signatures', { default: 'gpg' }),
      options: further,
    },
    returns: ret.list('Where it is, its hash, and what is wrong'),
    example: 'file.get_managed /etc/httpd/conf.d/httpd.conf jinja salt://http/httpd.conf',
    run: async (ctx, given) => {
      const { sfn, sum, comment } = await fetched(ctx, given)
      return tuple([sfn, sum ? sumDict(sum) : new Map(), comment])
    },
  }),
  get_diff: reads({
    doc: 'How two files differ.',
    args: {
      file1: arg.any('The one'),
      file2: arg.any('The other'),
      saltenv: arg.any('The environment', { default: 'base' }),
      show_filenames: arg.boolean('Whether their names are told', { default: true }),
      show_changes: arg.boolean('Whether the difference is told', { default: true }),
      template: arg.boolean('Whether they are templates, which may be secret', { default: false }),
      source_hash_file1: optional('The hash of the one'),
      source_hash_file2: optional('The hash of the other'),
      ...indifference,
    },
    returns: ret.any('The difference; with an `ignore_` option, whether it matters and the difference'),
    example: 'file.get_diff /home/fred/.vimrc salt://users/fred/.vimrc',
    run: async (ctx, given) => {
      const request = {
        saltenv: given.saltenv,
        showFilenames: given.show_filenames,
        showChanges: given.show_changes,
        template: given.template,
        hashes: [given.source_hash_file1, given.source_hash_file2] as const,
        indifference: indifferenceOf(given),
      }
      const { text, matters } = await fileDifference(ctx, [given.file1, given.file2], request)
      const isBare = text === '' || text.startsWith('---')
      return isIndifferent(request.indifference) && isBare ? tuple([matters, text]) : text
    },
  }),
}

const contents = optional('The content itself')

const checks = {
  check_managed: reads({
    doc: 'Whether a file is as `file.managed` would leave it.',
    args: {
      name,
      source,
      ...hash,
      ...owner,
      template,
      ...variables,
      saltenv,
      contents,
      skip_verify,
      ...selinux,
      follow_symlinks: follow,
      options: further,
    },
    returns: ret.list('Whether it is, and what would change'),
    example: "file.check_managed /etc/httpd/conf.d/httpd.conf salt://http/httpd.conf '' '' root, root, '755'",
    run: async (ctx, given) => {
      const planned = await plannedChanges(ctx, given)
      if ('comment' in planned) return tuple([false, planned.comment])
      const { changes } = planned
      const temporary = (await ctx.host.env()).get('TMPDIR') ?? '/tmp'
      if (str(given.name).startsWith(temporary)) for (const key of ['user', 'group', 'mode']) changes.delete(key)
      if (changes.size === 0) return tuple([true, `The file ${str(given.name)} is in the correct state`])
      const lines = [...changes].map(([key, change]) => `${str(key)}: ${str(change)}\n`)
      return tuple([null, `The following values are set to be changed:\n${lines.join('')}`])
    },
  }),
  check_managed_changes: reads({
    doc: 'What `file.managed` would change.',
    args: {
      name,
      source,
      ...hash,
      ...owner,
      template,
      ...variables,
      saltenv,
      contents,
      skip_verify,
      keep_mode: arg.flag('Whether the mode of the source is taken', { default: false }),
      ...selinux,
      verify_ssl,
      follow_symlinks: follow,
      ...indifference,
      new_file_diff: arg.flag('Whether a new file is shown as a difference', { default: false }),
      options: further,
    },
    returns: ret.any('The changes; with an `ignore_` option, whether they matter and the changes'),
    example: 'file.check_managed_changes /etc/httpd/conf.d/httpd.conf salt://http/httpd.conf',
    run: async (ctx, given) => {
      const planned = await plannedChanges(ctx, given)
      if ('comment' in planned) return tuple([false, planned.comment])
      return isIndifferent(indifferenceOf(given)) ? tuple([planned.matters, planned.changes]) : planned.changes
    },
  }),
  check_file_meta: reads({
    doc: 'What would change if a file got this content, owner and mode.',
    args: {
      name,
      sfn: arg.any('Where the content is'),
      source,
      source_sum: arg.any('The hash of the content'),
      ...owner,
      saltenv,
      contents,
      ...selinux,
      verify_ssl,
      follow_symlinks: follow,
      ...indifference,
      new_file_diff: arg.flag('Whether a new file is shown as a difference', { default: false }),
    },
    returns: ret.any('The changes; with an `ignore_` option, whether they matter and the changes'),
    example: 'file.check_file_meta /etc/httpd/conf.d/httpd.conf None salt://http/httpd.conf',
    run: async (ctx, given) => {
      const { changes, matters } = await metaChanges(ctx, metaRequest(given, {}))
      return isIndifferent(indifferenceOf(given)) ? tuple([matters, changes]) : changes
    },
  }),
}

const manage_file = changes({
  doc: 'Put content in the place of a file.',
  args: {
    name,
    sfn: arg.any('Where the content is'),
    ret: arg.any('The answer of a state to add to'),
    source,
    source_sum: arg.any('The hash of the content'),
    ...owner,
    saltenv,
    backup: arg.any('Whether a copy is kept: `minion` or nothing'),
    makedirs: arg.flag('Whether missing directories are made', { default: false }),
    template: optional('Accepted for compatibility'),
    show_changes: arg.flag('Whether the difference is told', { default: true }),
    contents,
    dir_mode: optional('The mode of directories that are made'),
    follow_symlinks: arg.flag('Whether a link stands for its target', { default: true }),
    skip_verify,
    keep_mode: arg.flag('Whether the mode of the source is taken', { default: false }),
    encoding: optional('The encoding of the file'),
    encoding_errors: arg.any('What happens to characters the encoding does not have', { default: 'strict' }),
    ...selinux,
    verify_ssl,
    use_etag: arg.flag('Whether the server is asked for changes', { default: false }),
    signature: optional('The signature of the source'),
    source_hash_sig: optional('The signature of the list of hashes'),
    signed_by_any: optional('Keys of which one must have signed'),
    signed_by_all: optional('Keys that must all have signed'),
    keyring: optional('The keyring'),
    gnupghome: optional('The home of GnuPG'),
    ...indifference,
    new_file_diff: arg.flag('Whether a new file is shown as a difference', { default: false }),
    sig_backend: arg.any('The module that checks signatures', { default: 'gpg' }),
    options: further,
  },
  returns: ret.dict('The answer of a state'),
  example: "file.manage_file /etc/httpd/conf.d/httpd.conf '' '{}' salt://http/httpd.conf",
  run: async (ctx, given) => {
    const file = await expandUser(ctx, given.name)
    const isNew = !truthy(given.ret)
    const answer = isNew ? dict({ name: file, changes: new Map(), comment: '', result: true }) : (given.ret as Dict)
    const skips = given.skip_verify || given.use_etag
    const further = options(given)
    for (const key of SIGNATURES) further.set(key, value(given, key))
    return manageFile(
      ctx,
      {
        ...metaRequest(given, {}),
        name: file,
        ret: answer,
        backup: given.backup,
        makedirs: given.makedirs,
        showChanges: given.show_changes,
        dirMode: given.dir_mode,
        checksSource: truthy(given.source) && schemeOf(str(given.source)) !== 'salt' && !skips,
        encoding: given.encoding,
        encodingErrors: given.encoding_errors,
        useEtag: given.use_etag,
        signature: given.signature,
        options: further,
      },
      given.keep_mode,
    )
  },
})

export const managedFunctions = { ...sources, ...checks, manage_file }
