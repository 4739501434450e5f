// Functions of `file` behind `file.managed`: sources, templates, differences, and putting content in place.
import { type Dict, dictFrom, schemeOf, str, textOf, truthy, tuple, type Value } from '../../../../data/mod.ts'
import { arg, changes, expandUser, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import {
  type FileRequest,
  fileRequest,
  IGNORED,
  ignoresSome,
  offered,
  REQUIRED,
  required,
  SELINUX,
  SIGNERS,
} from '../managed-request.ts'
import { fileDifference } from './differences.ts'
import { type HashSum, sumDict } from './hashing.ts'
import { manageFile } from './managing.ts'
import { metaChanges } from './metadata.ts'

import { chooseSource, ENGINES, type Fetched, fetchManaged, templateContext } from './sources.ts'
import { discard } from './temporary.ts'

const kwargs = arg.open('Options of signatures, and further template variables')
const follow_symlinks = arg.flag('Follow a symbolic link and check its target', { default: false })

function sumOf(sum: Value): HashSum | undefined {
  const hsum = sum instanceof Map ? textOf(sum.get('hsum') ?? null) : undefined
  if (!(sum instanceof Map) || hsum === undefined) return undefined
  return { hsum: hsum.toLowerCase(), hash_type: str(sum.get('hash_type') ?? 'sha256') }
}

/** The options of signatures that checks take among their further keywords. */
const SIGNING = required('source_hash_sig', ...SIGNERS, 'sig_backend')

/** Return the request of a check. */
function checkRequest(given: Partial<FileRequest> & Pick<FileRequest, 'name' | 'kwargs'>): FileRequest {
  const signing = [...given.kwargs].filter(([key]) => Object.hasOwn(SIGNING, key))
  const kwargs = new Map([...given.kwargs].filter(([key]) => !Object.hasOwn(SIGNING, key)))
  return fileRequest({ ...Object.fromEntries(signing), ...given, kwargs })
}

/** Return the changes that a request needs, or the reason why its source cannot be used. */
async function plannedChanges(
  ctx: FunctionContext,
  given: FileRequest,
): Promise<{ comment: string } | { changes: Dict; isSignificant: boolean }> {
  const [source, source_hash] = await chooseSource(ctx, given)
  const request = { ...given, source, source_hash }
  let fetched: Fetched = { sfn: '', sum: undefined, comment: '' }
  if (request.contents === null) {
    fetched = await fetchManaged(ctx, request)
    if (fetched.comment !== '') {
      await discard(ctx, fetched.sfn)
      return { comment: fetched.comment }
    }
    request.sfn = fetched.sfn || ''
    const hasMode = ['salt', 'file'].includes(schemeOf(str(source))) || str(source).startsWith('/')
    if (request.sfn && request.keep_mode && hasMode) {
      const kept = await ctx.call('cp.stat_file', [source], { saltenv: request.saltenv, octal: true })
      request.mode = textOf(kept) ?? request.mode
    }
  }
  const result = await metaChanges(ctx, request, fetched.sum)
  await discard(ctx, request.sfn)
  return result
}

const sources = {
  source_list: reads({
    doc: 'Return the first source of a list that exists.',
    args: required('source', 'source_hash', 'saltenv'),
    returns: ret.list('The source and its hash'),
    example: "file.source_list salt://http/httpd.conf '{hash_type: 'md5', 'hsum': <md5sum>}' base",
    run: async (ctx, request) => tuple(await chooseSource(ctx, request)),
  }),
  apply_template_on_contents: reads({
    doc: 'Render a text as a template.',
    args: { contents: arg.string('Text of the template'), ...required('template', 'context', 'defaults', 'saltenv') },
    returns: ret.any('The rendered text; a dict with `result` and `comment` for an unknown engine'),
    example: "file.apply_template_on_contents contents='This is a {{ template }} string.' template=jinja",
    run: async (ctx, { contents, template, context, defaults, saltenv }) => {
      const renderer = template ?? ''
      if (!ENGINES.has(renderer)) {
        return dictFrom({ result: false, comment: `Specified template format ${renderer} is not supported` })
      }
      const variables = templateContext(new Map(), defaults, context)
      return str(await ctx.render({ text: contents, renderer, saltenv, context: variables, asFile: true }))
    },
  }),
  get_managed: reads({
    doc: 'Fetch a source, render it when it is a template, and return its path and hash.',
    args: {
      ...required(...REQUIRED.get_managed),
      ...offered('skip_verify', 'verify_ssl', 'use_etag', 'source_hash_sig', ...SIGNERS, ...IGNORED, 'sig_backend'),
      kwargs,
    },
    returns: ret.list('The path of the local copy, its hash, and the reason of a failure'),
    example: 'file.get_managed /etc/httpd/conf.d/httpd.conf jinja salt://http/httpd.conf',
    run: async (ctx, given) => {
      const { sfn, sum, comment } = await fetchManaged(ctx, given)
      return tuple([sfn, sum ? sumDict(sum) : new Map(), comment])
    },
  }),
  get_diff: reads({
    doc: 'Return the difference of two files.',
    args: {
      file1: arg.any('First file: a path or URL'),
      file2: arg.any('Second file: a path or URL'),
      ...offered('saltenv'),
      show_filenames: arg.boolean('Show the names of the files', { default: true }),
      show_changes: arg.boolean('Show the difference', { default: true }),
      template: arg.boolean('Hide the difference when `obfuscate_templates` is set', { default: false }),
      source_hash_file1: arg.any('Hash of the first file', { optional: true }),
      source_hash_file2: arg.any('Hash of the second file', { optional: true }),
      ...offered(...IGNORED),
    },
    returns: ret.any('The difference; with an `ignore_` option, whether it is significant and the difference'),
    example: 'file.get_diff /home/fred/.vimrc salt://users/fred/.vimrc',
    run: async (ctx, given) => {
      const hashes = [given.source_hash_file1, given.source_hash_file2] as const
      const files = [given.file1, given.file2] as const
      const { text, isSignificant } = await fileDifference(ctx, files, { ...given, hashes, ignored: given })
      const isBare = text === '' || text.startsWith('---')
      return ignoresSome(given) && isBare ? tuple([isSignificant, text]) : text
    },
  }),
}

const checks = {
  check_managed: reads({
    doc: 'Report whether `file.managed` would change a file.',
    args: {
      ...required(...REQUIRED.check_managed_changes),
      ...offered('contents', 'skip_verify', ...SELINUX),
      follow_symlinks,
      kwargs,
    },
    returns: ret.list('Whether the file is in the correct state, and the changes as text'),
    example: "file.check_managed /etc/httpd/conf.d/httpd.conf salt://http/httpd.conf '' '' root, root, '755'",
    run: async (ctx, given) => {
      const planned = await plannedChanges(ctx, checkRequest(given))
      if ('comment' in planned) return tuple([false, planned.comment])
      const { changes } = planned
      const temporary = (await ctx.host.env()).get('TMPDIR') ?? '/tmp'
      if (given.name.startsWith(temporary)) for (const key of ['user', 'group', 'mode']) changes.delete(key)
      if (changes.size === 0) return tuple([true, `The file ${given.name} is in the correct state`])
      const lines = [...changes].map(([key, change]) => `${str(key)}: ${str(change)}\n`)
      return tuple([null, `The following values are set to be changed:\n${lines.join('')}`])
    },
  }),
  check_managed_changes: reads({
    doc: 'Return the changes that `file.managed` would make.',
    args: {
      ...required(...REQUIRED.check_managed_changes),
      ...offered('contents', 'skip_verify', 'keep_mode', ...SELINUX, 'verify_ssl'),
      follow_symlinks,
      ...offered(...IGNORED, 'new_file_diff'),
      kwargs,
    },
    returns: ret.any('The changes; with an `ignore_` option, whether they are significant and the changes'),
    example: 'file.check_managed_changes /etc/httpd/conf.d/httpd.conf salt://http/httpd.conf',
    run: async (ctx, given) => {
      const planned = await plannedChanges(ctx, checkRequest(given))
      if ('comment' in planned) return tuple([false, planned.comment])
      return ignoresSome(given) ? tuple([planned.isSignificant, planned.changes]) : planned.changes
    },
  }),
  check_file_meta: reads({
    doc: "Return the changes that a file's content, owner and mode need.",
    args: {
      ...required(...REQUIRED.check_file_meta),
      ...offered('contents', ...SELINUX, 'verify_ssl'),
      follow_symlinks,
      ...offered(...IGNORED, 'new_file_diff'),
    },
    returns: ret.any('The changes; with an `ignore_` option, whether they are significant and the changes'),
    example: 'file.check_file_meta /etc/httpd/conf.d/httpd.conf None salt://http/httpd.conf',
    run: async (ctx, given) => {
      const { changes, isSignificant } = await metaChanges(ctx, fileRequest(given), sumOf(given.source_sum))
      return ignoresSome(given) ? tuple([isSignificant, changes]) : changes
    },
  }),
}

const manage_file = changes({
  doc: 'Put content in place as a file, with owner and mode.',
  args: {
    ...required(...REQUIRED.manage_file),
    ...offered('makedirs', 'template', 'show_changes', 'contents', 'dir_mode', 'follow_symlinks', 'skip_verify'),
    ...offered('keep_mode', 'encoding', 'encoding_errors', ...SELINUX, 'verify_ssl', 'use_etag', 'signature'),
    ...offered('source_hash_sig', ...SIGNERS, ...IGNORED, 'new_file_diff', 'sig_backend'),
    kwargs,
  },
  returns: ret.dict('Report of a state'),
  example: "file.manage_file /etc/httpd/conf.d/httpd.conf '' '{}' salt://http/httpd.conf",
  run: async (ctx, given) => {
    const name = await expandUser(ctx, given.name)
    const report = truthy(given.ret)
      ? (given.ret as Dict)
      : dictFrom({ name, changes: new Map(), comment: '', result: true })
    return manageFile(ctx, { sum: sumOf(given.source_sum), ...given, name, ret: report })
  },
})

export const managedFunctions = { ...sources, ...checks, manage_file }
