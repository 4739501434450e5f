// The common part of most drivers: settings of the wait for an address, the wait itself, power actions.
import { type Dict, dictFrom, isDict, type Value } from '../../../data/mod.ts'
import {
  arg,
  awaitReady,
  type CloudAccount,
  type CloudAction,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  cloudAction,
} from '../../../sdk/mod.ts'
import { exit } from './rest.ts'

/** Settings of the wait for an address. */
export const waitSettings = {
  wait_for_ip_timeout: arg.count('Seconds until the machine must run', { default: 600 }),
  wait_for_ip_interval: arg.count('Seconds between two looks at it', { default: 5 }),
} as const

interface WaitSettings {
  ssh_interface: string
  wait_for_ip_timeout: number
  wait_for_ip_interval: number
}

/** Return the addresses of the kind that `ssh_interface` names. */
export const addressesFor = (node: CloudNode, { ssh_interface }: Pick<WaitSettings, 'ssh_interface'>): string[] =>
  ssh_interface.startsWith('private') ? node.private_ips : node.public_ips

/** Wait until a machine is ready and has an address of the kind that is wanted. `look` returns None when the machine is gone. */
export function awaitAddress(
  { signal }: CloudContext,
  name: string,
  settings: WaitSettings,
  look: () => Promise<CloudNode | null>,
  isReady: (node: CloudNode) => boolean,
): Promise<CloudNode> {
  const { wait_for_ip_timeout: timeout, wait_for_ip_interval: interval } = settings
  return awaitReady({ what: `an address of ${name}`, timeout, interval, signal }, async () => {
    const node = await look()
    if (node === null) throw exit(`${name} is gone while it starts`)
    return isReady(node) && addressesFor(node, settings).length > 0 ? node : undefined
  })
}

/** Return the machine below a key of an answer; None if there is none. */
export function nodeBelow(answer: Dict | undefined, key: string, nodeOf: (row: Dict) => CloudNode): CloudNode | null {
  const row = answer?.get(key) ?? null
  return isDict(row) ? nodeOf(row) : null
}

/** Report that a machine is requested. */
export const reportRequest = (
  steps: CloudSteps,
  name: string,
  { size, image }: { size: Value; image: Value },
): Promise<void> => steps.report('requesting', dictFrom({ name, size, image }))

/** Record the id of a created machine, and report that its address is queried. */
export async function noteMade(steps: CloudSteps, key: string, id: Value): Promise<void> {
  await steps.note(new Map([[key, id]]))
  await steps.report('querying', new Map([[key, id]]))
}

interface WithPower extends CloudAccount {
  act(node: CloudNode, word: string): Promise<Value>
}

/** Declare an action that the provider knows by a word, with the event that it fires. */
export const powerAction = (doc: string, event: string, word: string): CloudAction =>
  cloudAction({
    doc,
    run: async (account: WithPower, node, _args, steps) => {
      await steps.report(event, new Map([['name', node.name]]))
      return account.act(node, word)
    },
  })

/** Return the text that a machine gets to read, from a setting or from a file. */
export async function userData(
  { host }: CloudContext,
  text: string | null,
  file: string | null,
): Promise<string | null> {
  return file === null ? text : Buffer.from(await host.read(file)).toString()
}
