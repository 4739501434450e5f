// The state of a host before any change: configuration and keys of a minion, and whether they belong to another master.
import { BrineError } from '../../base/mod.ts'
import type { SshHost } from '../../host/mod.ts'
import { cleanKey } from '../../wire/mod.ts'
import type { MasterFacts } from './master.ts'

const CONFIG = '/etc/salt/minion'
const CONFIG_DIR = '/etc/salt/minion.d'
export const PKI_DIR = '/etc/salt/pki/minion'

/** Read after the usual names, so that it wins. */
export const OWN_CONFIG = `${CONFIG_DIR}/99-bootstrap.conf`

const MOST_BYTES = 1 << 20

export interface Survey {
  /** The text of Brine's own file, if there is one. */
  ownConfig: string | undefined
  /** The minion's public key, if it has a pair. */
  publicPem: string | undefined
  /** The master's key that the minion keeps. */
  masterPem: string | undefined
  /** Why the minion seems to belong to another master or to have another id. */
  foreign: string[]
  isSystemd: boolean
}

async function textAt(machine: SshHost, path: string): Promise<string | undefined> {
  const stat = await machine.stat(path)
  if (stat?.type !== 'file') return undefined
  if (stat.size > MOST_BYTES) throw new BrineError('BadHost', `${path} of the host is larger than ${MOST_BYTES} bytes`)
  return new TextDecoder().decode(await machine.read(path))
}

/** The value of an option at the beginning of a line, without quotes and comment. */
function settingIn(text: string, name: string): string | undefined {
  const found = new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'm').exec(text)?.[1]
  return found
    ?.replace(/\s+#.*$/, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
}

function differences(path: string, text: string, wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const found = settingIn(text, name)
    return found === undefined || found === value ? [] : [`${path} has another ${name}`]
  })
}

export async function surveyHost(machine: SshHost, master: MasterFacts, id: string): Promise<Survey> {
  const { uid } = await machine.identity()
  if (uid !== 0) {
    throw new BrineError('NoRights', 'The login user is not root', { hint: 'Use --user root, or --sudo' })
  }
  const names = (await machine.stat(CONFIG_DIR))?.type === 'directory' ? await machine.list(CONFIG_DIR) : []
  const paths = [CONFIG, ...names.filter((name) => name.endsWith('.conf')).map((name) => `${CONFIG_DIR}/${name}`)]
  const foreign: string[] = []
  for (const path of paths.sort()) {
    const text = await textAt(machine, path)
    const wanted = { master: master.address, id, master_finger: master.fingerprint }
    if (text !== undefined) foreign.push(...differences(path, text, wanted))
  }
  const masterPem = await textAt(machine, `${PKI_DIR}/minion_master.pub`)
  if (masterPem !== undefined && cleanKey(masterPem) !== cleanKey(master.publicPem)) {
    foreign.push(`${PKI_DIR}/minion_master.pub is the key of another master`)
  }
  const hasPair = (await machine.stat(`${PKI_DIR}/minion.pem`)) !== undefined
  return {
    ownConfig: await textAt(machine, OWN_CONFIG),
    publicPem: hasPair ? await textAt(machine, `${PKI_DIR}/minion.pub`) : undefined,
    masterPem,
    foreign,
    isSystemd: (await machine.stat('/run/systemd/system')) !== undefined,
  }
}
