// `keyring`: passwords of a keyring, through the program keyring of the Python package of that name.
import { decodeBytes, failure, str, textOf } from '../../../data/mod.ts'
import { arg, defineSdb, type SdbContext } from '../../../sdk/mod.ts'

async function keyring(ctx: SdbContext, words: readonly string[], stdin?: string) {
  if ((await ctx.host.which('keyring')) === undefined) throw failure('The program keyring was not found')
  const { retcode, stdout, stderr } = await ctx.host.run({
    argv: ['keyring', ...words],
    ...(stdin !== undefined && { stdin }),
  })
  const said = decodeBytes(stderr).trim()
  // keyring exits with 1 and no output if the password does not exist
  if (said.endsWith('EOFError'))
    throw failure(`keyring ${words[0]}: the backend asks for a password, which needs a terminal`)
  if (retcode !== 0 && said !== '') throw failure(`keyring ${words[0]}: ${said.split('\n').at(-1)}`)
  return retcode === 0 ? decodeBytes(stdout).replace(/\n$/, '') : null
}

export default defineSdb({
  name: 'keyring',
  doc: 'Passwords of a keyring. The program keyring must be installed, and its backend set up.',
  args: { service: arg.text('Name of the service in the keyring') },
  get: (ctx, key, { service }) => keyring(ctx, ['get', '--', service, key]),
  set: async (ctx, key, value, { service }) => {
    // keyring takes the last line end away, and without one the whole password
    await keyring(ctx, ['set', '--', service, key], `${textOf(value) ?? str(value)}\n`)
  },
})
