// Values that lie elsewhere, by `sdb://<profile>/<key>`, with the profiles of the master.
import type { Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const uri = arg.any('`sdb://<profile>/<key>`')

const asMinion = (ctx: MasterContext, fun: string, args: Value[]): Promise<Value> => ctx.function(`sdb.${fun}`, args)

export default defineRunner({
  name: 'sdb',
  doc: 'Values that lie elsewhere, by `sdb://<profile>/<key>`.',
  functions: {
    get: masterFn({
      doc: 'A value; what names none is given back as it is.',
      args: { uri },
      examples: ['salt-run sdb.get sdb://osenv/HOME'],
      run: (ctx, { uri }) => asMinion(ctx, 'get', [uri]),
    }),
    set: masterFn({
      doc: 'Set a value, where the driver can.',
      args: { uri, value: arg.any('The value') },
      calledAs: 'set_',
      examples: ['salt-run sdb.set sdb://osenv/colour green'],
      run: (ctx, { uri, value }) => asMinion(ctx, 'set', [uri, value]),
    }),
    delete: masterFn({
      doc: 'Delete a value, where the driver can.',
      args: { uri },
      examples: ['salt-run sdb.delete sdb://mine/colour'],
      run: (ctx, { uri }) => asMinion(ctx, 'delete', [uri]),
    }),
    get_or_set_hash: masterFn({
      doc: 'A value; one that is not there is made up of random letters and set.',
      args: {
        uri,
        length: arg.integer('How many letters', { default: 8 }),
        chars: arg.string('Which letters', { default: 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)' }),
      },
      examples: ["salt-run sdb.get_or_set_hash 'sdb://mine/secret' 50"],
      run: (ctx, { uri, length, chars }) => asMinion(ctx, 'get_or_set_hash', [uri, length, chars]),
    }),
  },
})
