// A minion on a new machine: the login, its files and keys, our package or a script of the user's own, and its first answer. The key was
// accepted before.
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dumpJson, isDict, isList, quote, shlexSplit, str, update, type Value } from '../data/mod.ts'
import type { SshHost } from '../host/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import { awaitAnswer } from './bootstrap/answer.ts'
import { mustRun } from './bootstrap/commands.ts'
import { type MasterFacts, minionConfigText } from './bootstrap/master.ts'
import { ownPackage } from './bootstrap/own-package.ts'
import { installPackage, type MinionPackage, readPackage } from './bootstrap/package.ts'
import { startDaemon } from './bootstrap/start.ts'
import { OWN_CONFIG, PKI_DIR, surveyHost } from './bootstrap/survey.ts'
import { configError } from './errors.ts'
import type { CloudReporter } from './events.ts'
import { logInToMachine } from './login.ts'
import { installMaster } from './make-master.ts'
import type { DeploySettings } from './settings.ts'

export interface Deployment {
  name: string
  address: string
  settings: DeploySettings
  /** The key pair whose public half is accepted. */
  keys: { privatePem: string; publicPem: string }
  /** The origin of the machine: grains of the minion below `salt-cloud`. */
  origin: Dict
  isOld: boolean
}

export interface DeployParts {
  access: MasterAccess
  /** Return the data about this master for minions. */
  master(): Promise<MasterFacts>
  /** Options of salt-cloud: `cachedir` is its own. */
  opts: Dict
  folder: string
  log: Log
  signal: AbortSignal
  report: CloudReporter
  /** Folders with deploy scripts, besides `cloud.deploy.d`. */
  scripts: readonly string[]
}

/** The script name that selects the built-in deployment. */
const BUILT_IN = /^bootstrap-salt(\.sh)?$/

type Work = (machine: SshHost, deployment: Deployment) => Promise<void>

/** Refuse settings that no creation supports, with or without a deployment. */
export function assertSupported(name: string, settings: DeploySettings): void {
  if (settings.make_master && (!settings.deploy || (settings.script && !BUILT_IN.test(settings.script)))) {
    throw configError(`${name}: make_master needs the built-in deployment: a 'script' has to install the master itself`)
  }
}

/** Check all that can be checked before a machine exists or is touched. Return how a minion gets on it. */
export async function planDeployment(parts: DeployParts, name: string, settings: DeploySettings): Promise<Work> {
  await parts.master()
  for (const from of settings.file_map.keys()) {
    if (!existsSync(str(from))) throw configError(`${name}: file_map names ${quote(str(from))}, which does not exist`)
  }
  if (settings.script && !BUILT_IN.test(settings.script)) {
    const script = scriptFile(parts, settings.script)
    return (machine, deployment) => runScript(parts, deployment, machine, script)
  }
  if (settings.script_args) parts.log('info', `${name}: script_args has no effect on the built-in deployment`)
  const pack = settings.package
    ? await readPackage([settings.package], option(parts.opts, 'package_keyring') || undefined)
    : await ownPackage(parts.access.host, str(parts.opts.get('cachedir')!), settings.make_master)
  return (machine, deployment) => installMinion(parts, deployment, machine, pack)
}

/** Deploy the minion, and wait until it answers. Return its data for output. */
export async function deploy(parts: DeployParts, deployment: Deployment, work: Work): Promise<Dict> {
  const { report, opts, log, signal, access } = parts
  const { name, address, settings, isOld } = deployment
  await report(name, 'waiting_for_ssh', new Map([['ip_address', address]]))
  const machine = await logInToMachine({ name, address, settings, isOld, opts, log, signal })
  try {
    if (settings.bootstrap_delay > 0) await sleep(settings.bootstrap_delay * 1000, undefined, { signal })
    await report(name, 'deploying', new Map<Value, Value>([['kwargs', shownSettings(deployment)]]))
    for (const [from, to] of settings.file_map) {
      await machine.writeStream(str(to), createReadStream(str(from)), { mode: 0o600 })
    }
    await work(machine, deployment)
    const timeout = settings.deploy_timeout
    await awaitAnswer({ access, master: await parts.master(), timeout, signal }, name)
  } finally {
    await machine.close()
  }
  await report(name, 'deploy_script', new Map([['host', address]]), `${name} has been deployed at ${address}`)
  const done: Dict = new Map<Value, Value>([['deployed', true]])
  if (settings.show_deploy_args) done.set('deploy_kwargs', shownSettings(deployment))
  await afterwards(parts, deployment, done)
  return done
}

/** Options of the minion, with the grains that say where its machine comes from. */
function minionOptions({ settings, origin }: Deployment): Dict {
  const options: Dict = new Map()
  if (settings.master !== null && !isDict(settings.master)) options.set('master', settings.master)
  update(options, settings.minion)
  const grains: Dict = new Map()
  const given = options.get('grains')
  if (given !== undefined && isDict(given)) update(grains, given)
  update(grains, settings.grains)
  options.set('grains', grains.set('salt-cloud', origin))
  if (settings.startup_states) options.set('startup_states', settings.startup_states)
  return options
}

async function installMinion(
  parts: DeployParts,
  deployment: Deployment,
  machine: SshHost,
  pack: MinionPackage,
): Promise<void> {
  const { log, signal } = parts
  const { name, keys, settings } = deployment
  const master = await parts.master()
  const survey = await surveyHost(machine, master, name)
  if (survey.foreign.length > 0)
    log('warning', `${name} had a minion already, which is replaced: ${survey.foreign.join(', ')}`)
  await machine.makeDirectory(PKI_DIR, { parents: true, mode: 0o700 })
  await machine.makeDirectory('/etc/salt/minion.d', { parents: true, mode: 0o755 })
  await machine.write(`${PKI_DIR}/minion_master.pub`, master.publicPem, { mode: 0o644 })
  await machine.write(OWN_CONFIG, minionConfigText(master, name, minionOptions(deployment)), { mode: 0o600 })
  await machine.write(`${PKI_DIR}/minion.pem`, keys.privatePem, { mode: 0o400 })
  await machine.write(`${PKI_DIR}/minion.pub`, keys.publicPem, { mode: 0o644 })
  await installPackage(machine, pack, signal)
  const { isSystemd } = survey
  const note = await startDaemon(machine, { program: 'salt-minion', isSystemd, isChanged: true, signal })
  if (note !== undefined) log('warning', `${name}: ${note}`)
  if (!settings.make_master) return
  const ofMaster = await installMaster(machine, { options: settings.master, isSystemd, signal })
  if (ofMaster !== undefined) log('warning', `${name}: its master is ${ofMaster}`)
}

/** Find a deploy script: `cloud.deploy.d` of the configuration first, as in Salt. */
function scriptFile({ folder, scripts }: DeployParts, named: string): string {
  if (named.startsWith('/')) {
    if (existsSync(named)) return named
    throw configError(`The deploy script ${quote(named)} does not exist`)
  }
  if (named.split('/').includes('..'))
    throw configError(`The deploy script ${quote(named)} is not below a folder of scripts`)
  const folders = [join(folder, 'cloud.deploy.d'), ...scripts]
  const found = folders
    .flatMap((place) => [join(place, named), join(place, `${named}.sh`)])
    .find((path) => existsSync(path))
  if (found !== undefined) return found
  throw configError(`The deploy script ${quote(named)} is in none of ${folders.join(', ')}`)
}

/** Run a script of the user's own. It finds keys and configuration in the folder that `-c` names, as Salt's scripts do. */
async function runScript(parts: DeployParts, deployment: Deployment, machine: SshHost, script: string): Promise<void> {
  const { signal, log } = parts
  const { name, keys, settings } = deployment
  const folder = settings.keep_tmp
    ? await machine.tempDirectory({ prefix: '.saltcloud-' })
    : await machine.sessionFolder()
  const options = minionOptions(deployment)
  const at = (file: string): string => `${folder}/${file}`
  await machine.write(at('minion.pem'), keys.privatePem, { mode: 0o600 })
  await machine.write(at('minion.pub'), keys.publicPem, { mode: 0o644 })
  await machine.write(at('minion'), minionConfigText(await parts.master(), name, options), { mode: 0o600 })
  await machine.write(at('grains'), dumpJson(options.get('grains') ?? null), { mode: 0o600 })
  await machine.writeStream(at('deploy.sh'), createReadStream(script), { mode: 0o700 })
  const words = shlexSplit(settings.script_args ?? '')
  const argv = words.includes('-c') ? [at('deploy.sh'), ...words] : [at('deploy.sh'), '-c', folder, ...words]
  const env = new Map([...settings.script_env].map(([key, value]) => [str(key), str(value)]))
  log('info', `${name}: the deploy script ${script} runs`)
  await mustRun(machine, argv, { signal, env })
}

/** Run the first jobs of the minion: `sync_after_install` and `start_action`. */
async function afterwards({ access, log }: DeployParts, { name, settings }: Deployment, done: Dict): Promise<void> {
  const call = async (fun: string): Promise<Value> => {
    const published = await access.publish({ tgt: [name], tgtType: 'list', fun })
    if (!published) return null
    for await (const { data } of access.collect(published, 60, 10)) if (data) return data.get('return') ?? null
    log('error', `${name} does not return from ${fun}`)
    return null
  }
  const synced = settings.sync_after_install
  if (synced) done.set('sync_after_install', await call(`saltutil.sync_${synced}`))
  if (settings.start_action) done.set('start_action', await call(settings.start_action))
}

/** The settings that `--show-deploy-args` and the event show. */
function shownSettings({ name, address, settings }: Deployment): Dict {
  const shown: Dict = new Map<Value, Value>([
    ['minion_id', name],
    ['host', address],
    ['username', isList(settings.ssh_username) ? settings.ssh_username[0]! : settings.ssh_username],
    ['script', settings.script ?? 'bootstrap-salt'],
    ['script_args', settings.script_args],
    ['port', settings.ssh_port],
    ['minion_conf', settings.minion],
    ['grains', settings.grains],
    ['sudo', settings.sudo],
    ['sync_after_install', settings.sync_after_install],
    ['start_action', settings.start_action],
  ])
  for (const [key, value] of [...shown]) if (value === null) shown.delete(key)
  return shown
}
