// Key pairs, machines, network interfaces, volumes and images of EC2 as states.
import { isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { instanceStates } from './instance-states.ts'
import { interfaceStates } from './interface-states.ts'
import { volumeStates } from './volume-states.ts'

async function hasKey(ctx: StateContext, name: string, login: AwsLogin): Promise<boolean> {
  const found: Value = await ctx.call('boto_ec2.get_key', [name], loginOf(login))
  return isList(found) && found.length > 0
}

const NAME = arg.text('Name of the key pair')

export default defineState({
  name: 'boto_ec2',
  doc: 'Manage key pairs, machines, network interfaces, volumes and images of EC2.',
  functions: {
    key_present: state({
      doc: 'Ensure that a key pair exists: made by AWS with its private key saved here, or of a public key.',
      args: {
        name: NAME,
        save_private: arg.text('Folder in which the private key is saved', { optional: true }),
        upload_public: arg.text('The public key, or a `salt://` file of it', { optional: true }),
        ...LOGIN,
      },
      run: (ctx, { name, save_private, upload_public, ...login }) =>
        ensure(ctx, {
          name,
          look: async () => {
            if (await hasKey(ctx, name, login)) return settled(`The key name ${name} already exists`)
            if (Boolean(save_private) === Boolean(upload_public)) {
              return failed('You can either upload or download a private key ')
            }
            if (!upload_public?.startsWith('salt://')) return { key: upload_public }
            const text: Value = await ctx.call('cp.get_file_str', [upload_public])
            return truthy(text) ? { key: str(text) } : failed(`File ${upload_public} not found.`)
          },
          foresee: () => `The key ${name} is set to be created.`,
          act: async ({ key }) => {
            if (key !== null) {
              const print: Value = await ctx.call('boto_ec2.import_key', [name, key], loginOf(login))
              return truthy(print)
                ? changed(`The key ${name} is created.`, { old: null, new: str(print) })
                : failed(`Could not create key ${name} `)
            }
            const made: Value = await ctx.call('boto_ec2.create_key', [name, save_private], loginOf(login))
            return truthy(made)
              ? changed(`The key ${name} is created.`, { old: null, new: name })
              : failed(`Could not create key ${name} `)
          },
        }),
    }),
    key_absent: state({
      doc: 'Ensure that a key pair does not exist.',
      args: { name: NAME, ...LOGIN },
      run: (ctx, { name, ...login }) =>
        ensure(ctx, {
          name,
          look: async () =>
            (await hasKey(ctx, name, login)) ? 'there' : settled(`The key name ${name} does not exist`),
          foresee: () => `The key ${name} is set to be deleted.`,
          act: async () =>
            truthy(await ctx.call('boto_ec2.delete_key', [name], loginOf(login)))
              ? changed(`The key ${name} is deleted.`, { old: name })
              : failed(`Could not delete key ${name} `),
        }),
    }),
    ...instanceStates,
    ...interfaceStates,
    ...volumeStates,
  },
})
