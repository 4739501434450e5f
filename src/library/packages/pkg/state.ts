// Packages, through the provider of `pkg` on the minion.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { normalize, off, pkgs, skip_verify, sources } from '../common/params.ts'
import { aggregate } from './state/aggregate.ts'
import { downloaded, patched } from './state/downloaded.ts'
import { held, unheld } from './state/holds.ts'
import { type Installed, installed } from './state/installed.ts'
import { type Latest, latest } from './state/latest.ts'
import { asReturn, markRefresh, meetProvider } from './state/provider.ts'
import { type Removal, uninstalled } from './state/removed.ts'
import { groupInstalled, uptodate } from './state/uptodate.ts'

const name = arg.string('Package name; with `pkgs` or `sources` only the name of the state')
const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const version = optional('Version as text or number, with `*` if wanted, or conditions such as `>=1.2, <2`')
const fromrepo = optional('Repository to take packages from, as text or list')
const ignore_epoch = optional('Ignore epochs when versions are compared; default: if the wanted version has no epoch')
const refresh = optional('Refresh the package database first; default: once in a state run')
const passedOn = arg.open('Options of the package manager')
const removal = { name, version, pkgs, normalize, ignore_epoch, kwargs: passedOn }

const installation = {
  name,
  version,
  refresh,
  fromrepo,
  skip_verify,
  skip_suggestions: off('Do not look up unknown package names'),
  pkgs,
  sources,
  allow_updates: off('Accept a newer version than the wanted one'),
  pkg_verify: arg.any('Check installed files, and reinstall packages with altered ones: True, or a list of options', {
    default: false,
  }),
  normalize,
  ignore_epoch,
  reinstall: off('Reinstall packages that have the wanted version'),
  update_holds: off('Change held packages too'),
  kwargs: passedOn,
}

const newest = {
  name,
  refresh,
  fromrepo,
  skip_verify,
  pkgs,
  watch_flags: arg.flag('Reinstall packages after a change of their USE flags; Gentoo', { default: true }),
  kwargs: passedOn,
}

type Watched = 'installed' | 'latest' | 'removed' | 'purged'

const runs: Readonly<Record<Watched, (ctx: StateContext, args: never) => Promise<StateReturn>>> = {
  installed: (ctx, args: Installed) => installed(ctx, args),
  latest: (ctx, args: Latest) => latest(ctx, args),
  removed: (ctx, args: Removal) => uninstalled(ctx, 'remove', args),
  purged: (ctx, args: Removal) => uninstalled(ctx, 'purge', args),
}

const states = {
  installed: state({
    doc: 'Ensure that packages are installed, in the wanted version if one is given.',
    args: installation,
    run: (ctx, args) => runs.installed(ctx, args as never),
  }),
  latest: state({
    doc: 'Ensure that packages have their newest version.',
    args: newest,
    run: (ctx, args) => runs.latest(ctx, args as never),
  }),
  removed: state({
    doc: 'Ensure that packages are not installed.',
    args: removal,
    run: (ctx, args) => runs.removed(ctx, args as never),
  }),
  purged: state({
    doc: 'Ensure that packages and their configuration are removed.',
    args: removal,
    run: (ctx, args) => runs.purged(ctx, args as never),
  }),
}

const declined = (name: string, comment: string, result: boolean): StateReturn => ({
  name,
  changes: {},
  result,
  comment,
})

/** Call a watching state again after a change of a watched one. */
async function watched(ctx: StateContext, name: string, kwargs: Map<string, Value>): Promise<StateReturn> {
  const fun = str(kwargs.get('sfun') ?? null)
  if (!Object.hasOwn(states, fun)) return declined(name, `pkg.${fun} does not work with the watch requisite`, false)
  const options = new Map([...kwargs].filter(([key]) => key !== 'sfun'))
  const report = await ctx.state(`pkg.${fun}`, new Map<string, Value>([...options, ['name', name]]))
  return Object.fromEntries(report) as unknown as StateReturn
}

async function withBeacon(ctx: StateContext, name: string, kwargs: Map<string, Value>): Promise<StateReturn> {
  const fun = str(kwargs.get('sfun') ?? null)
  if (fun !== 'installed' && fun !== 'removed') {
    return declined(name, `pkg.${fun} does not work with the mod_beacon state function`, false)
  }
  if (!truthy(kwargs.get('beacon') ?? null)) return declined(name, 'Not adding beacon.', true)
  const beacon = {
    name: `beacon_pkg_${name}`,
    pkgs: kwargs.get('pkgs') ?? [name],
    interval: 60,
    beacon_module: 'pkg',
  }
  return Object.fromEntries(await ctx.state('beacon.present', beacon)) as unknown as StateReturn
}

export default defineState({
  name: 'pkg',
  doc: 'Manage packages.',
  modInit: async (ctx, low) => {
    await meetProvider(ctx)
    const done = ctx.has('pkg.ex_mod_init') ? truthy(await ctx.call('pkg.ex_mod_init', [low])) : true
    if (low.get('fun') !== 'installed' && low.get('fun') !== 'latest') return false
    await markRefresh(ctx)
    return done
  },
  modAggregate: (_ctx, low, chunks, running) => aggregate(low, chunks, running),
  functions: {
    ...states,
    downloaded: state({
      doc: 'Ensure that packages are downloaded.',
      args: { name, version, pkgs, fromrepo, ignore_epoch, kwargs: passedOn },
      run: downloaded,
    }),
    patch_installed: state({
      doc: 'Ensure that the packages of advisories are installed.',
      args: {
        name: arg.string('Advisory id'),
        advisory_ids: optional('List of advisory ids; overrides `name`'),
        downloadonly: optional('Download packages without installing them'),
        kwargs: passedOn,
      },
      run: (ctx, args) => patched(ctx, 'patch_installed', args),
    }),
    patch_downloaded: state({
      doc: 'Ensure that the packages of advisories are downloaded.',
      args: {
        name: arg.string('Advisory id'),
        advisory_ids: optional('List of advisory ids; overrides `name`'),
        kwargs: passedOn,
      },
      run: (ctx, args) => patched(ctx, 'patch_downloaded', { ...args, downloadonly: true }),
    }),
    uptodate: state({
      doc: 'Ensure that all packages, or the given ones, have their newest version.',
      args: {
        name: arg.string('Name of the state'),
        refresh: arg.any('Refresh the package database first', { default: false }),
        pkgs,
        kwargs: passedOn,
      },
      run: uptodate,
    }),
    group_installed: state({
      doc: 'Ensure that the packages of a group are installed.',
      args: {
        name: arg.string('Group name'),
        skip: optional('List of packages to leave out'),
        include: optional('List of further packages to install'),
        kwargs: passedOn,
      },
      run: groupInstalled,
    }),
    held: state({
      doc: 'Ensure that packages are held at their versions.',
      args: {
        name,
        version,
        pkgs,
        replace: off('Release all other packages'),
        kwargs: arg.ignored(),
      },
      run: async (ctx, { replace, ...given }) => {
        await meetProvider(ctx)
        return asReturn(await held(ctx, { ...given, others: replace }))
      },
    }),
    unheld: state({
      doc: 'Ensure that packages are not held.',
      args: { name, version, pkgs, all: off('Release all packages'), kwargs: arg.ignored() },
      run: async (ctx, { all, ...given }) => {
        await meetProvider(ctx)
        return asReturn(await unheld(ctx, { ...given, others: all }))
      },
    }),
    mod_watch: state({
      doc: 'Call a state again after a change of a watched state.',
      args: { name, kwargs: arg.open('`sfun`, and the options of that state') },
      run: (ctx, { name, kwargs }) => watched(ctx, name, kwargs),
    }),
    mod_beacon: state({
      doc: 'Ensure that a beacon watches the packages of a state.',
      args: { name, kwargs: arg.open('`sfun`, `beacon`, and the options of that state') },
      run: (ctx, { name, kwargs }) => withBeacon(ctx, name, kwargs),
    }),
  },
})
