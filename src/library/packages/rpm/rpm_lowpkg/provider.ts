// Functions that the providers of `pkg` above rpm have in common: yum, dnf and zypper.
import { isDict, str, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext, type FunctionDeclaration, reads, ret } from '../../../../sdk/mod.ts'
import { fileFunctions, type Options } from '../../common/functions.ts'
import * as param from '../../common/params.ts'
import { normalizeName, splitArch } from './package.ts'

/** Rename facts to the names that all providers use. */
function renamed(facts: Value): Value {
  if (Array.isArray(facts)) return facts.map(renamed)
  if (!isDict(facts)) return facts
  return new Map([...facts].map(([key, value]) => [key === 'source_rpm' ? 'source' : key, value]))
}

/** Return a body that calls a function of `lowpkg`, with the options if wanted. */
const low =
  (fun: string, withOptions: boolean) =>
  (ctx: FunctionContext, names: readonly string[], options: Options): Value | Promise<Value> =>
    ctx.call(`lowpkg.${fun}`, names, withOptions ? options : new Map())

/** `root`: whether the functions about files accept the option `root`. */
export const rpmFunctions = ({ root }: { root: boolean }): Record<string, FunctionDeclaration> => ({
  normalize_name: reads({
    doc: 'Return a package name without the architecture of this machine.',
    example: 'pkg.normalize_name zsh.x86_64',
    args: { name: param.pkg },
    returns: ret.string('Package name'),
    run: (ctx, { name }) => normalizeName(name, str(ctx.grains.get('osarch') ?? '')),
  }),
  parse_arch: reads({
    doc: 'Split a package name into name and architecture.',
    example: 'pkg.parse_arch zsh.x86_64',
    args: { name: param.pkg },
    returns: param.nameAndArch,
    run: (_ctx, { name: given }) => {
      const { name, arch = null } = splitArch(given)
      return { name, arch }
    },
  }),
  info_installed: reads({
    doc: 'Return the facts about installed packages.',
    example: 'pkg.info_installed httpd',
    args: { names: param.names, kwargs: arg.open('Options of `lowpkg.info`, such as `attr` and `all_versions`') },
    returns: ret.dict('Facts by package name'),
    run: async (ctx, { names, kwargs }) => {
      const found = await ctx.call('lowpkg.info', names, kwargs)
      return new Map([...found].map(([name, facts]) => [name, renamed(facts)]))
    },
  }),
  verify: reads({
    doc: 'List the files that differ from their packages.',
    example: 'pkg.verify httpd',
    args: { names: param.names, kwargs: arg.open('`ignore_types`, `verify_options`') },
    returns: ret.dict('Differences by path'),
    run: (ctx, { names, kwargs }) => ctx.call('lowpkg.verify', names, kwargs),
  }),
  modified: reads({
    doc: 'List the files that differ from their packages.',
    example: 'pkg.modified httpd mode=True',
    args: {
      packages: param.names,
      flags: arg.open('Kinds of difference to include or to exclude, such as `size=True`'),
    },
    returns: ret.dict('Kinds of difference by path'),
    run: (ctx, { packages, flags }) => ctx.call('lowpkg.modified', packages, flags),
  }),
  ...fileFunctions({ list: low('file_list', root), dict: low('file_dict', root), owner: low('owner', root) }),
})
