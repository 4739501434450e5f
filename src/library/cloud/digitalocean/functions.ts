// Functions of the driver of DigitalOcean: ssh keys and floating addresses of the account.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, type CloudAccount, type CloudContext, cloudFunction } from '../../../sdk/mod.ts'
import { at, byField, exit, type RestCloud } from '../common/rest.ts'

/** The account for functions. */
export interface DigitalOceanAccount extends CloudAccount {
  readonly ctx: CloudContext
  readonly rest: RestCloud
  all(path: string, key: string): Promise<Dict[]>
}

const KEYNAME = arg.text('Name of the key')
const ADDRESS = arg.text('The address')

const keysOf = async (account: DigitalOceanAccount): Promise<Dict> =>
  byField(await account.all('/account/keys', 'ssh_keys'), 'name')

const part = (text: string): string => encodeURIComponent(text)

const addKey = (account: DigitalOceanAccount, name: string, public_key: string): Promise<Value> =>
  account.rest.ask('POST', '/account/keys', { name, public_key })

/** Do something about a floating address. */
const address = (account: DigitalOceanAccount, ip: string, body: Record<string, string | number>): Promise<Value> =>
  account.rest.ask('POST', `/floating_ips/${part(ip)}/actions`, body)

export const functions = {
  list_keypairs: cloudFunction({
    doc: 'Return the ssh keys of the account by their names.',
    run: (account: DigitalOceanAccount) => keysOf(account),
  }),
  show_keypair: cloudFunction({
    doc: 'Return an ssh key of the account.',
    args: { keyname: KEYNAME },
    run: async (account: DigitalOceanAccount, { keyname }) => {
      const key = (await keysOf(account)).get(keyname)
      if (key === undefined) throw exit(`The ssh key '${keyname}' is not known to DigitalOcean`)
      return key
    },
  }),
  create_key: cloudFunction({
    doc: 'Add an ssh key to the account.',
    args: { name: KEYNAME, public_key: arg.text('The public key') },
    run: (account: DigitalOceanAccount, { name, public_key }) => addKey(account, name, public_key),
  }),
  import_keypair: cloudFunction({
    doc: 'Add the ssh key in a file of this machine to the account.',
    args: { keyname: KEYNAME, file: arg.text('File of the public key') },
    run: async (account: DigitalOceanAccount, { keyname, file }) => {
      const text = Buffer.from(await account.ctx.host.read(file)).toString('utf8')
      if (text.includes('PRIVATE KEY')) throw exit(`${file} has a private key: name the file of the public one`)
      return addKey(account, keyname, text)
    },
  }),
  remove_key: cloudFunction({
    doc: 'Remove an ssh key from the account.',
    args: { id: arg.textOrNumber('Id of the key') },
    run: async (account: DigitalOceanAccount, { id }) =>
      (await account.rest.find('DELETE', `/account/keys/${part(str(id))}`)) !== undefined,
  }),
  list_floating_ips: cloudFunction({
    doc: 'Return the floating addresses of the account.',
    run: async (account: DigitalOceanAccount) => byField(await account.all('/floating_ips', 'floating_ips'), 'ip'),
  }),
  show_floating_ip: cloudFunction({
    doc: 'Return a floating address.',
    args: { floating_ip: ADDRESS },
    run: async (account: DigitalOceanAccount, { floating_ip }) =>
      at(await account.rest.ask('GET', `/floating_ips/${part(floating_ip)}`), 'floating_ip'),
  }),
  create_floating_ip: cloudFunction({
    doc: 'Reserve a floating address for a machine or a region.',
    args: {
      droplet_id: arg.textOrNumber('Id of the machine', { optional: true }),
      region: arg.text('Slug of the region, in place of a machine', { optional: true }),
    },
    run: async (account: DigitalOceanAccount, { droplet_id, region }) => {
      if ((droplet_id === null) === (region === null)) throw exit('Give either droplet_id or region')
      const wanted = droplet_id === null ? { region } : { droplet_id: Number(droplet_id) }
      return at(await account.rest.ask('POST', '/floating_ips', wanted), 'floating_ip')
    },
  }),
  delete_floating_ip: cloudFunction({
    doc: 'Release a floating address.',
    args: { floating_ip: ADDRESS },
    run: async (account: DigitalOceanAccount, { floating_ip }) =>
      (await account.rest.find('DELETE', `/floating_ips/${part(floating_ip)}`)) !== undefined,
  }),
  assign_floating_ip: cloudFunction({
    doc: 'Give a floating address to a machine.',
    args: { floating_ip: ADDRESS, droplet_id: arg.textOrNumber('Id of the machine') },
    run: async (account: DigitalOceanAccount, { floating_ip, droplet_id }) =>
      at(await address(account, floating_ip, { type: 'assign', droplet_id: Number(droplet_id) }), 'action'),
  }),
  unassign_floating_ip: cloudFunction({
    doc: 'Take a floating address from its machine.',
    args: { floating_ip: ADDRESS },
    run: async (account: DigitalOceanAccount, { floating_ip }) =>
      at(await address(account, floating_ip, { type: 'unassign' }), 'action'),
  }),
}
