// Creates one machine from its settings: key, machine, minion. It is a transaction with a record on disk: a failed or
// killed creation is undone, so that no machine is billed and no key stays accepted.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, quote, type Value } from '../data/mod.ts'
import { boundSettings, type CloudNode, type CloudSteps } from '../sdk/mod.ts'
import { generateRsaKeys, isValidId } from '../wire/mod.ts'
import { type Accounts, markDeclared, type OpenAccount } from './accounts.ts'
import { acceptKey, assertFree, removeKey } from './bootstrap/key.ts'
import { assertSupported, type DeployParts, deploy, planDeployment } from './deploy.ts'
import { configError, executionFailure } from './errors.ts'
import type { CloudReporter } from './events.ts'
import { addressOf, listedAddress, withoutProviderLogin } from './login.ts'
import { type NodeCache, shownFully } from './node-cache.ts'
import type { RecordedCreation, Records } from './record.ts'
import { DEPLOY_SETTINGS, type DeploySettings } from './settings.ts'

export interface CreationParts {
  records: Records
  /** Providers for the undo, which an interrupt does not abort. */
  undoing: Accounts
  cache: NodeCache
  report: CloudReporter
  deploying: DeployParts
  log: Log
}

export interface MachineOrder {
  name: string
  /** The name of the profile, if there is one. */
  profile: string | null
  account: OpenAccount
  /** Settings of the provider, the profile and the map, in this order. */
  settings: Dict
  /** The place of the settings, for errors. */
  where: string
}

/** Characters that would be globs or spaces in targets. */
const NO_NAME = /[\s*?[\]]/

/** Refuse names that cannot be ids of minions. */
export function checkName(name: string): void {
  if (!isValidId(name) || NO_NAME.test(name) || name.startsWith('-'))
    throw configError(`${quote(name)} is no name of a machine`)
}

/** Create the machine. Return its data for output, or throw after everything is undone. */
export async function createMachine(parts: CreationParts, wish: MachineOrder): Promise<Dict> {
  const { name, account, settings, where } = wish
  const { driver, provider } = account
  markDeclared(settings, [driver.machine, DEPLOY_SETTINGS])
  const ofMachine = boundSettings(driver.machine, settings, where)
  const ofDeploy = boundSettings(DEPLOY_SETTINGS, withoutProviderLogin(account, settings), where)
  assertSupported(name, ofDeploy)
  const plan = ofDeploy.deploy ? await planDeployment(parts.deploying, name, ofDeploy) : undefined
  if (plan) assertFree(parts.deploying.access, name, undefined, false)
  const record = parts.records.begin(name, { alias: provider.alias, driver: driver.name })
  const origin: Dict = dictFrom({ profile: wish.profile, provider: provider.alias, driver: driver.name })
  try {
    await parts.report(name, 'creating', new Map([...origin, ['provider', `${provider.alias}:${driver.name}`]]))
    const keys = plan && (await acceptedKeys(parts, record))
    // a machine that existed before is not removed
    record.keep({ isRequested: driver.isForExisting !== true })
    const { profile } = wish
    const request = { name, profile, settings: ofMachine, written: settings, token: record.creation.token }
    const node = await account.account.create(request, stepsOf(parts, name, record))
    const shown = shownFully(node)
    if (plan && keys) {
      const ofLogin = withLogin(wish, node)
      const address = listedAddress(node, ofLogin) ?? addressOf(node, ofLogin)
      const deployment = { name, address, settings: ofLogin, keys, origin, isOld: driver.isForExisting === true }
      for (const [key, value] of await deploy(parts.deploying, deployment, plan)) shown.set(key, value)
    } else shown.set('Error', new Map([['No Deploy', "'deploy' is not enabled. Not deploying."]]))
    parts.cache.keep(account, node, wish.profile)
    await parts.report(name, 'created', createdData(origin, account, node))
    record.remove()
    return shown
  } catch (error) {
    await undoAfter(parts, record, error)
    throw error
  }
}

/** Return the settings of the deployment with the driver's login settings. */
function withLogin({ account, settings, where }: MachineOrder, { login = new Map() }: CloudNode): DeploySettings {
  return boundSettings(DEPLOY_SETTINGS, new Map([...withoutProviderLogin(account, settings), ...login]), where)
}

function createdData(origin: Dict, { provider, driver }: OpenAccount, { id }: CloudNode): Dict {
  return new Map<Value, Value>([...origin, ['provider', `${provider.alias}:${driver.name}`], ['instance_id', id]])
}

/** Make a pair for the minion and accept it. It is noted first, so that the undo finds it. */
async function acceptedKeys(
  { deploying: { access } }: CreationParts,
  record: RecordedCreation,
): Promise<{ privatePem: string; publicPem: string }> {
  const keys = await generateRsaKeys(option(access.opts, 'keysize'))
  record.keep({ publicPem: keys.publicPem })
  await acceptKey(access, record.creation.name, keys.publicPem)
  return keys
}

export function stepsOf(
  { report }: Pick<CreationParts, 'report'>,
  name: string,
  record?: RecordedCreation,
): CloudSteps {
  return {
    report: (event, data) => report(name, event, data),
    note: async (facts) => record?.keep({ noted: new Map([...record.creation.noted, ...facts]) }),
  }
}

/** Undo a failed creation. If that fails too, report it; the next run retries. */
async function undoAfter(parts: CreationParts, record: RecordedCreation, reason: unknown): Promise<void> {
  const { name } = record.creation
  parts.log('error', `${name} could not be created, and what there is of it is removed: ${toError(reason).message}`)
  try {
    await undoCreation(parts, record)
  } catch (error) {
    record.abandon()
    const why = toError(error).message
    throw executionFailure(
      `${name} could not be created (${toError(reason).message}), nor removed: ${why}. The next salt-cloud tries again`,
      error,
    )
  }
}

/** Remove machine and key of an unfinished creation. */
async function undoCreation(parts: CreationParts, record: RecordedCreation): Promise<void> {
  const { name, alias, driver: driverName, token, noted, publicPem, isRequested } = record.creation
  const { access } = parts.deploying
  if (publicPem !== undefined) await removeKey(access, name, publicPem)
  if (isRequested) {
    const opened = await parts.undoing.open(
      parts.undoing.one(`${alias}:${driverName}`, `The unfinished creation of ${name}`),
    )
    const { account } = opened
    const steps = stepsOf(parts, name)
    await parts.report(name, 'destroying', new Map([['undo', true]]))
    if (account.undo) await account.undo({ name, token, noted }, steps)
    else {
      const node = (await account.nodes()).find((one) => one.name === name)
      if (node) await account.destroy(node, steps)
    }
    await parts.report(name, 'destroyed', new Map([['undo', true]]))
    parts.cache.forget(opened, name)
  }
  record.remove()
}

/** Undo creations whose process is gone. Return whether all succeeded. */
export async function undoAbandoned(parts: CreationParts): Promise<boolean> {
  let isClean = true
  for (const record of parts.records.abandoned()) {
    const { name } = record.creation
    if (!record.takeOver()) continue
    parts.log('warning', `An earlier run was ended while it created ${name}: what there is of it is removed`)
    try {
      await undoCreation(parts, record)
    } catch (error) {
      isClean = false
      record.abandon()
      parts.log('error', `${name} cannot be removed: ${toError(error).message}. The next salt-cloud tries again`)
    }
  }
  return isClean
}
