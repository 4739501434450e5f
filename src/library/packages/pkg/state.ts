// Packages, through whichever package manager the minion has.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { aggregate } from './state/aggregate.ts'
import { downloaded, patched } from './state/downloaded.ts'
import { held, unheld } from './state/holds.ts'
import { type Installed, installed } from './state/installed.ts'
import { type Latest, latest } from './state/latest.ts'
import { asReturn, markRefresh, meetProvider } from './state/provider.ts'
import { type Removal, uninstalled } from './state/removed.ts'
import { groupInstalled, uptodate } from './state/uptodate.ts'

const name = arg.string('The package; with `pkgs` or `sources` only a name for the state')
const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
const flag = (doc: string, otherwise = false): Arg<Value> => arg.any(doc, { default: otherwise })
const version = optional('The version, perhaps with `*`, or conditions such as `>=1.2, <2`')
const pkgs = optional('Several packages, each a name or a name with a version')
const fromrepo = optional('Where they come from')
const ignore_epoch = optional('Whether epochs do not count; only where the wanted version has none, when left out')
const normalize = arg.flag("Whether the machine's own architecture is left out of names", { default: true })
const refresh = optional('Whether the package lists are fetched first; once in a run, when left out')
const skip_verify = arg.flag('Whether packages without a signature are accepted', { default: false })
const passedOn = arg.open('Options of the package manager')
const removal = { name, version, pkgs, normalize, ignore_epoch, kwargs: passedOn }

const installation = {
  name,
  version,
  refresh,
  fromrepo,
  skip_verify,
  skip_suggestions: arg.flag('Whether unknown names are not looked up', { default: false }),
  pkgs,
  sources: optional('Package files by name'),
  allow_updates: arg.flag('Whether a newer version than the wanted one is as good', { default: false }),
  pkg_verify: arg.any('Whether installed files are checked, and packages with altered ones installed again', {
    default: false,
  }),
  normalize,
  ignore_epoch,
  reinstall: arg.flag('Whether installed ones are installed again', { default: false }),
  update_holds: arg.flag('Whether held ones are changed', { default: false }),
  kwargs: passedOn,
}

const newest = {
  name,
  refresh,
  fromrepo,
  skip_verify,
  pkgs,
  watch_flags: arg.flag('Whether changed USE flags count, on Gentoo', { default: true }),
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
    doc: 'Packages are installed, at the version that is wanted if one is.',
    args: installation,
    run: (ctx, args) => runs.installed(ctx, args as never),
  }),
  latest: state({
    doc: 'Packages are at the newest version there is.',
    args: newest,
    run: (ctx, args) => runs.latest(ctx, args as never),
  }),
  removed: state({
    doc: 'Packages are not installed.',
    args: removal,
    run: (ctx, args) => runs.removed(ctx, args as never),
  }),
  purged: state({
    doc: 'Packages are not installed, and their configuration is gone.',
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

/** Calls the state that watches again, now that something it watches has changed. */
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
  doc: 'Keep packages installed, removed, up to date or held.',
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
      doc: 'Packages lie ready for installation.',
      args: { name, version, pkgs, fromrepo, ignore_epoch, kwargs: passedOn },
      run: downloaded,
    }),
    patch_installed: state({
      doc: 'Packages that advisories name are installed.',
      args: {
        name: arg.string('An advisory'),
        advisory_ids: optional('Several advisories'),
        downloadonly: optional('Whether they are only downloaded'),
        kwargs: passedOn,
      },
      run: (ctx, args) => patched(ctx, 'patch_installed', args),
    }),
    patch_downloaded: state({
      doc: 'Packages that advisories name lie ready for installation.',
      args: { name: arg.string('An advisory'), advisory_ids: optional('Several advisories'), kwargs: passedOn },
      run: (ctx, args) => patched(ctx, 'patch_downloaded', { ...args, downloadonly: true }),
    }),
    uptodate: state({
      doc: 'All packages, or the named ones, are at their newest versions.',
      args: {
        name: arg.string('A name for the state'),
        refresh: flag('Whether the package lists are fetched first'),
        pkgs: optional('Only these'),
        kwargs: passedOn,
      },
      run: uptodate,
    }),
    group_installed: state({
      doc: 'The packages of a group are installed.',
      args: {
        name: arg.string('The group'),
        skip: optional('Packages to leave out'),
        include: optional('Further packages of the group'),
        kwargs: passedOn,
      },
      run: groupInstalled,
    }),
    held: state({
      doc: 'Packages are kept at their versions.',
      args: {
        name,
        version,
        pkgs,
        replace: arg.flag('Whether others are let go', { default: false }),
        kwargs: arg.ignored(),
      },
      run: async (ctx, { replace, ...given }) => {
        await meetProvider(ctx)
        return asReturn(await held(ctx, { ...given, others: replace }))
      },
    }),
    unheld: state({
      doc: 'Packages may be changed.',
      args: { name, version, pkgs, all: arg.flag('Whether all are let go', { default: false }), kwargs: arg.ignored() },
      run: async (ctx, { all, ...given }) => {
        await meetProvider(ctx)
        return asReturn(await unheld(ctx, { ...given, others: all }))
      },
    }),
    mod_watch: state({
      doc: 'What a state does when something it watches has changed.',
      args: { name, kwargs: arg.open('`sfun`, and the options of that state') },
      run: (ctx, { name, kwargs }) => watched(ctx, name, kwargs),
    }),
    mod_beacon: state({
      doc: 'A beacon for the packages of a state.',
      args: { name, kwargs: arg.open('`sfun`, `beacon`, and the options of that state') },
      run: (ctx, { name, kwargs }) => withBeacon(ctx, name, kwargs),
    }),
  },
})
