// Functions that the providers of `pkg` declare alike; a provider hands in the body.
import { compareLoose, type Dict, str, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  type Bound,
  changes,
  type FunctionContext,
  type FunctionDeclaration,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { type Gather, listCalled } from './installed.ts'
import * as param from './params.ts'

export type Options = ReadonlyMap<string, Value>

/** The order of two versions; undefined if they cannot be compared. */
type Order = number | null | undefined

type Returned = Result | Promise<Result>
type NamesBody = (ctx: FunctionContext, names: string[], options: Options) => Returned

export const withoutEpoch = (version: string): string => version.slice(version.indexOf(':') + 1)

export const version = (
  run: NamesBody = (ctx, names, options) => ctx.call('pkg_resource.version', names, options),
): FunctionDeclaration =>
  reads({
    doc: 'Return the installed version of packages; empty for a package that is not installed.',
    example: 'pkg.version bash',
    args: { names: param.names, kwargs: param.kwargs },
    returns: ret.any('Version, or versions by name for several packages'),
    run: (ctx, { names, kwargs }) => run(ctx, names.map(str), kwargs),
  })

export const latestVersion = (run: NamesBody, options = param.kwargs): FunctionDeclaration =>
  reads({
    doc: 'Return the newest available version of packages; empty for a package that is up to date.',
    example: 'pkg.latest_version bash',
    args: { names: param.names, kwargs: options },
    returns: ret.any('Version, or versions by name for several packages'),
    run: (ctx, { names, kwargs }) => run(ctx, names.map(str), kwargs),
  })

export const upgradeAvailable = (
  run: (ctx: FunctionContext, name: string, options: Options) => Promise<boolean>,
): FunctionDeclaration =>
  reads({
    doc: 'Return whether a newer version of a package is available.',
    example: 'pkg.upgrade_available bash',
    args: { name: param.pkg, kwargs: param.kwargs },
    returns: ret.boolean('Whether a newer version is available'),
    run: (ctx, { name, kwargs }) => run(ctx, name, kwargs),
  })

export const versionCmp = (
  run: (ctx: FunctionContext, a: string, b: string, ignoreEpoch: boolean) => Order | Promise<Order>,
): FunctionDeclaration =>
  reads({
    doc: 'Compare two versions.',
    example: "pkg.version_cmp '0.2-001' '0.2.0.1-002'",
    args: {
      pkg1: arg.text('First version'),
      pkg2: arg.text('Second version'),
      ignore_epoch: param.ignore_epoch,
      kwargs: param.kwargs,
    },
    returns: ret.optional(ret.number('-1, 0 or 1; None when a version cannot be compared')),
    run: (ctx, { pkg1, pkg2, ignore_epoch }) => run(ctx, pkg1, pkg2, ignore_epoch),
  })

export const listRepoPkgs = (run: (ctx: FunctionContext, patterns: string[], options: Options) => Promise<Dict>) =>
  reads({
    doc: 'List the versions of packages that repositories have, newest first.',
    example: "pkg.list_repo_pkgs 'samba*' fromrepo=base",
    args: { args: arg.rest('Package names or globs; all packages when left out'), kwargs: param.kwargs },
    returns: param.versionsByName,
    run: (ctx, { args, kwargs }) => run(ctx, args.map(str), kwargs),
  })

/** Declare `remove` or `purge`. */
export const removal = (
  fun: 'remove' | 'purge',
  doc: string,
  run: (ctx: FunctionContext, call: { name: string | null; pkgs: Value; kwargs: Options }) => Promise<Dict>,
): FunctionDeclaration =>
  changes({
    doc,
    example: `pkg.${fun} bash`,
    args: { name: param.name, pkgs: param.pkgs, kwargs: param.kwargs },
    returns: param.versionChanges,
    run,
  })

/** Declare `install`. */
export const installation = <const A extends Args>(
  args: A,
  run: (ctx: FunctionContext, call: Bound<A>) => Promise<Dict>,
): FunctionDeclaration =>
  changes({ doc: 'Install packages.', example: 'pkg.install bash', args, returns: param.versionChanges, run })

/** The functions about files of packages. */
export const fileFunctions = (bodies: { list: NamesBody; dict: NamesBody; owner: NamesBody }) => ({
  file_list: reads({
    doc: 'List the files of packages; of all packages when none is given.',
    example: 'pkg.file_list bash',
    args: { packages: param.names, kwargs: param.kwargs },
    returns: ret.any('`files` and `errors`'),
    run: (ctx, { packages, kwargs }) => bodies.list(ctx, packages.map(str), kwargs),
  }),
  file_dict: reads({
    doc: 'List the files of packages by package; of all packages when none is given.',
    example: 'pkg.file_dict bash',
    args: { packages: param.names, kwargs: param.kwargs },
    returns: ret.any('`packages` and `errors`'),
    run: (ctx, { packages, kwargs }) => bodies.dict(ctx, packages.map(str), kwargs),
  }),
  owner: reads({
    doc: 'Return the package that owns a file.',
    example: 'pkg.owner /usr/bin/bash',
    args: { paths: param.paths, kwargs: param.kwargs },
    returns: ret.any('Package name, or names by path for several files; empty for a file without a package'),
    run: (ctx, { paths, kwargs }) => bodies.owner(ctx, paths.map(str), kwargs),
  }),
})

/** Functions of a provider that lists its packages in one command and compares versions in the common order. */
export const commonFunctions = (gather: Gather): Record<string, FunctionDeclaration> => ({
  version: version(),
  list_pkgs: reads({
    doc: 'List the installed packages with their versions.',
    args: { versions_as_list: param.versions_as_list, kwargs: param.kwargs },
    returns: param.versionsByName,
    run: (ctx, { versions_as_list, kwargs }) => listCalled(ctx, gather, versions_as_list, kwargs),
  }),
  version_cmp: versionCmp((_ctx, a, b, ignoreEpoch) =>
    ignoreEpoch ? compareLoose(withoutEpoch(a), withoutEpoch(b)) : compareLoose(a, b),
  ),
  normalize_name: reads({
    doc: 'Return the name under which a package is listed.',
    example: 'pkg.normalize_name bash',
    args: { name: param.pkg },
    returns: ret.string('Package name'),
    run: (_ctx, { name }) => name,
  }),
})

/** Split the members of a group into installed and missing packages, by type. */
export function splitMembers(group: ReadonlyMap<string, readonly string[]>, installed: Dict): Dict {
  const split = (names: readonly string[]): Dict =>
    new Map<Value, Value>([
      ['installed', names.filter((name) => installed.has(name))],
      ['not installed', names.filter((name) => !installed.has(name))],
    ])
  return new Map([...group].map(([type, names]) => [type, split(names)]))
}
