// Helpers of the providers of `pkg`: the packages of a call, and installed versions as lists and as text. Like Salt's
// functions, some change their input dicts.
import {
  type Dict,
  dictSet,
  fnmatchFilter,
  isDict,
  misuse,
  PySet,
  sorted,
  str,
  textOf,
  truthy,
  type Value,
  versionHolds,
} from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  deserialize,
  type FunctionContext,
  isTrue,
  type Keywords,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import * as param from '../common/params.ts'
import { formatPackages, formatVersion } from './module/format.ts'
import { nameOf, packSources, repackPackages } from './module/pack.ts'

async function sourcePaths(ctx: FunctionContext, sources: Dict, saltenv: string): Promise<Value[]> {
  const paths: Value[] = []
  for (const [name, source] of sources) {
    if (truthy(await ctx.call('config.valid_fileproto', [source]))) {
      paths.push(await ctx.call('cp.cache_file', [source, saltenv]))
    } else if (str(source).startsWith('/')) paths.push(source)
    else {
      throw misuse(`Path ${str(source)} for package ${str(name)} is either not absolute or an invalid protocol`)
    }
  }
  return paths
}

interface Wanted {
  name: string | null
  pkgs: Value
  sources: Value
  saltenv: string
  normalize: boolean
  kwargs: Map<string, Value>
}

const NOTHING: [Value, Value] = [null, null]

async function parseTargets(ctx: FunctionContext, wanted: Wanted): Promise<[Value, Value]> {
  const { name, pkgs, sources, saltenv, normalize, kwargs } = wanted
  const version = kwargs.get('version') ?? null
  const isMac = ctx.grains.get('os') === 'MacOS'
  if (isMac && truthy(sources)) ctx.log('warning', 'Parameter "sources" ignored on MacOS hosts.')
  const refused = (message: string): [Value, Value] => {
    ctx.log('error', message)
    return NOTHING
  }
  if (truthy(pkgs) && truthy(sources)) return refused('Only one of "pkgs" and "sources" can be used.')
  const advisories = kwargs.get('advisory_ids')
  if (advisories !== undefined) {
    if (truthy(pkgs)) return refused('Cannot use "advisory_ids" and "pkgs" at the same time')
    return [truthy(advisories) ? advisories : [name], 'advisory']
  }
  const several = truthy(pkgs) || (truthy(sources) && !isMac)
  if (several && version !== null) {
    ctx.log('warning', "'version' argument will be ignored for multiple package targets")
  }
  if (truthy(pkgs)) {
    const packed = await repackPackages(ctx, pkgs, normalize)
    return packed.size > 0 ? [packed, 'repository'] : NOTHING
  }
  if (several) {
    const packed = await packSources(ctx, sources, normalize)
    return packed.size > 0 ? [await sourcePaths(ctx, packed, saltenv), 'file'] : NOTHING
  }
  if (!name) return refused('No package sources provided')
  const packed: Dict = new Map()
  for (const one of name.split(',')) packed.set(await nameOf(ctx, one, normalize), version)
  return [packed, 'repository']
}

async function versions(ctx: FunctionContext, names: readonly Value[], kwargs: Keywords): Promise<Value> {
  const options = new Map(kwargs instanceof Map ? kwargs : Object.entries(kwargs))
  const asList = isTrue(options.get('versions_as_list') ?? false)
  options.delete('versions_as_list')
  const found: Dict = new Map()
  let globbed = false
  if (names.length > 0) {
    const installed = await ctx.call('pkg.list_pkgs', [], new Map([...options, ['versions_as_list', true]]))
    for (const name of names.map(str)) {
      const isGlob = name.includes('*')
      globbed ||= isGlob
      const matches = isGlob ? fnmatchFilter([...installed.keys()].map(str), name) : [name]
      for (const match of matches) found.set(match, installed.get(match) ?? [])
    }
  }
  if (!asList) stringify(found)
  return found.size === 1 && !globbed ? [...found.values()][0]! : found
}

function stringify(pkgs: Value): void {
  if (!isDict(pkgs)) return
  for (const [name, list] of pkgs) pkgs.set(name, joined(list))
}

const joined = (list: Value): string => (Array.isArray(list) ? list.map(str).join(',') : [...str(list)].join(','))

/** Read a dict that a command line gave as text. */
const asDict = async (value: Value): Promise<Value> => {
  const text = textOf(value)
  return text === undefined ? value : deserialize('yaml', text)
}

const pkgs = arg.textListOrDict('Dict `{name: versions}`, or such a dict as YAML text')

export default defineModule({
  name: 'pkg_resource',
  doc: 'Helpers of the package managers.',
  functions: {
    pack_sources: reads({
      doc: 'Convert a list of package files into one dict.',
      args: {
        sources: arg.textListOrDict('List of dicts `{name: path or URL}`, or such a list as YAML text'),
        normalize: param.normalize,
      },
      returns: ret.dict('Paths or URLs by name'),
      example: 'pkg_resource.pack_sources \'[{"foo": "salt://foo.rpm"}]\'',
      run: (ctx, { sources, normalize }) => packSources(ctx, sources, normalize),
    }),
    parse_targets: reads({
      doc: 'Return the packages that the arguments of an installation mean, and their origin.',
      args: {
        name: param.name,
        pkgs: param.pkgs,
        sources: param.sources,
        saltenv: param.saltenv,
        normalize: param.normalize,
        kwargs: arg.open('`version`, `advisory_ids`'),
      },
      returns: ret.list('The packages, and `repository`, `file` or `advisory`'),
      example: 'pkg_resource.parse_targets vim',
      run: parseTargets,
    }),
    version: reads({
      doc: 'Return the installed versions of packages.',
      args: {
        names: arg.rest('Package names or globs'),
        kwargs: arg.open('`versions_as_list`, and options of `pkg.list_pkgs`'),
      },
      returns: ret.any('Version, or versions by name for several packages'),
      example: 'pkg_resource.version vim',
      run: (ctx, { names, kwargs }) => versions(ctx, names, kwargs),
    }),
    add_pkg: reads({
      doc: 'Add a version to a dict of packages.',
      args: { pkgs, name: arg.text('Package name'), pkgver: arg.any('Version, added as it is') },
      example: "pkg_resource.add_pkg '{}' bind 9",
      run: (_ctx, { pkgs, name, pkgver }) => {
        if (!isDict(pkgs)) return
        const list = pkgs.get(name)
        if (Array.isArray(list)) list.push(pkgver)
        else dictSet(pkgs, name, [pkgver])
      },
    }),
    sort_pkglist: reads({
      doc: 'Sort the versions of each package in a dict, without duplicates.',
      args: { pkgs },
      example: 'pkg_resource.sort_pkglist \'{"vim": ["3.45", "2.13"]}\'',
      run: (_ctx, { pkgs }) => {
        if (isDict(pkgs)) for (const [name, list] of pkgs) pkgs.set(name, sorted(new PySet(list as Value[])))
      },
    }),
    stringify: reads({
      doc: 'Join the versions of each package in a dict by commas.',
      args: { pkgs },
      example: "pkg_resource.stringify 'vim: 7.127'",
      run: async (_ctx, { pkgs }) => {
        stringify(await asDict(pkgs))
        return null
      },
    }),
    version_clean: reads({
      doc: 'Return a version without the additions of the package manager.',
      args: { verstr: arg.any('Version; an empty one is returned as it is') },
      returns: ret.any('Version'),
      example: 'pkg_resource.version_clean 1.2',
      run: async (ctx, { verstr }) =>
        truthy(verstr) && (await provides(ctx, 'version_clean')) ? ctx.call('pkg.version_clean', [verstr]) : verstr,
    }),
    version_compare: reads({
      doc: 'Return whether a comparison of two versions is true.',
      args: {
        ver1: arg.text('First version'),
        oper: arg.text('`==`, `!=`, `>=`, `<=`, `>` or `<`'),
        ver2: arg.text('Second version'),
        ignore_epoch: param.ignore_epoch,
      },
      returns: ret.boolean('Whether the comparison is true'),
      examples: ["salt myminion pkg_resource.version_compare '3.5' '<=' '2.4'"],
      run: (_ctx, { ver1, oper, ver2, ignore_epoch }) => {
        const version = (text: string): string => text.slice(ignore_epoch ? text.indexOf(':') + 1 : 0)
        return versionHolds(version(ver1), oper, version(ver2))
      },
    }),
    check_extra_requirements: reads({
      doc: 'Return whether an installed package meets requirements other than its version.',
      args: { pkgname: arg.text('Package name'), pkgver: arg.text('Requirements') },
      returns: ret.any('True if the package manager has no such requirements'),
      example: "pkg_resource.check_extra_requirements vim '~>=7[nls]'",
      run: async (ctx, { pkgname, pkgver }) =>
        truthy(pkgver) && (await provides(ctx, 'check_extra_requirements'))
          ? ctx.call('pkg.check_extra_requirements', [pkgname, pkgver])
          : true,
    }),
    format_pkg_list: reads({
      doc: 'Convert packages with their facts into the form of `pkg.list_pkgs`.',
      args: {
        packages: arg.dict('List of facts by package name'),
        versions_as_list: arg.flag('Return versions as lists'),
        attr: arg.any('List of facts to return, `all`, or None for versions only'),
      },
      returns: ret.dict('Versions or facts by package name'),
      example: "pkg_resource.format_pkg_list '{}' True all",
      run: (ctx, { packages, versions_as_list, attr }) => formatPackages(ctx, packages, versions_as_list, attr),
    }),
    format_version: reads({
      doc: 'Join the parts of a version.',
      args: { epoch: arg.text('Epoch'), version: arg.text('Version'), release: arg.text('Release') },
      returns: ret.string('Version with epoch and release'),
      example: 'pkg_resource.format_version 1 2.0 3',
      run: (_ctx, { epoch, version, release }) => formatVersion(epoch, version, release),
    }),
  },
})

/** Return whether the package manager of this minion has a function. */
async function provides(ctx: FunctionContext, fun: string): Promise<boolean> {
  return ctx.has(`pkg.${fun}`) && fun in (await ctx.module('pkg')).functions
}
