// Values of `sdb://<profile>/<key>`, with the profiles of the master.
import type { Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const uri = arg.any('`sdb://<profile>/<key>`; any other value is returned unchanged')

const asMinion = (ctx: MasterContext, fun: string, args: Value[]): Promise<Value> => ctx.function(`sdb.${fun}`, args)

export default defineRunner({
  name: 'sdb',
  doc: 'Read and write values by `sdb://<profile>/<key>`.',
  functions: {
    get: masterFn({
      doc: 'Return a value; a text that is not an sdb URI is returned unchanged.',
      args: { uri },
      examples: ['salt-run sdb.get sdb://osenv/HOME'],
      run: (ctx, { uri }) => asMinion(ctx, 'get', [uri]),
    }),
    set: masterFn({
      doc: 'Set a value, if the driver supports it.',
      args: { uri, value: arg.any('Value, of any type') },
      calledAs: 'set_',
      examples: ['salt-run sdb.set sdb://osenv/colour green'],
      run: (ctx, { uri, value }) => asMinion(ctx, 'set', [uri, value]),
    }),
    delete: masterFn({
      doc: 'Delete a value, if the driver supports it.',
      args: { uri },
      examples: ['salt-run sdb.delete sdb://mine/colour'],
      run: (ctx, { uri }) => asMinion(ctx, 'delete', [uri]),
    }),
    get_or_set_hash: masterFn({
      doc: 'Return a value; if it is missing, create a random one and set it.',
      args: {
        uri,
        length: arg.integer('Length of the random value', { default: 8 }),
        chars: arg.string('Characters of the random value', {
          default: 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)',
        }),
      },
      examples: ["salt-run sdb.get_or_set_hash 'sdb://mine/secret' 50"],
      run: (ctx, { uri, length, chars }) => asMinion(ctx, 'get_or_set_hash', [uri, length, chars]),
    }),
  },
})
