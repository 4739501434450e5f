// Keyboard layouts of the console and of X.
import { failure, misuse, PyError, splitWords, str } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads, runAll } from '../../../sdk/mod.ts'

interface Place {
  file: string
  variable: string
  grep: string
}

/** Files of the layout by OS family, without localectl. */
const PLACES: Readonly<Record<string, Place>> = {
  RedHat: { file: '/etc/sysconfig/keyboard', variable: 'LAYOUT', grep: 'LAYOUT' },
  Debian: { file: '/etc/default/keyboard', variable: 'XKBLAYOUT', grep: 'XKBLAYOUT' },
  Gentoo: { file: '/etc/conf.d/keymaps', variable: 'keymap', grep: '"^keymap"' },
}

const placeOf = (ctx: FunctionContext): Place => PLACES[str(ctx.grains.get('os_family') ?? '')]!

const hasLocalectl = async (ctx: FunctionContext): Promise<boolean> => (await ctx.host.which('localectl')) !== undefined

function second(text: string, mark: string): string {
  const part = text.split(mark)[1]
  if (part === undefined) throw new PyError('IndexError', 'list index out of range')
  return part
}

async function systemLayout(ctx: FunctionContext): Promise<string> {
  const command = (await hasLocalectl(ctx))
    ? 'localectl | grep Keymap | sed -e"s/: /=/" -e"s/^[ \t]*//"'
    : `grep ${placeOf(ctx).grep} ${placeOf(ctx).file} | grep -vE "^#"`
  return second(await outputOf(ctx, command, { python_shell: true }), '=').replaceAll('"', '')
}

/**
 * Return a valid layout such as `us`, `de(nodeadkeys)` or `us,ru`. A shell reads the files that contain it, as root.
 */
function checked(layout: string): string {
  if (/^\w[\w,.:+()-]*$/.test(layout)) return layout
  throw misuse(`Invalid keyboard layout '${layout}'`)
}

/** Return the arguments for a program, which accepts further ones: a variant, or a second layout to switch to. */
const layoutWords = (layout: string): string[] => {
  const words = splitWords(layout)
  return words.length > 0 ? words.map(checked) : [checked(layout)]
}

async function set(ctx: FunctionContext, words: readonly string[]): Promise<void> {
  const { retcode, stdout, stderr } = await runAll(ctx, words)
  if (retcode !== 0) throw failure(`${words[0]} failed: ${stderr || stdout}`)
}

async function setSystemLayout(ctx: FunctionContext, layout: string): Promise<string> {
  if (await hasLocalectl(ctx)) await set(ctx, ['localectl', 'set-keymap', ...layoutWords(layout)])
  else {
    const { file, variable } = placeOf(ctx)
    await ctx.call('file.sed', [file, `^${variable}=.*`, `${variable}=${checked(layout)}`])
  }
  return layout
}

const layout = arg.string('Layout')

export default defineModule({
  name: 'keyboard',
  doc: 'Manage keyboard layouts.',
  when: async ({ grains, host }) =>
    (await host.which('localectl')) !== undefined ||
    Object.hasOwn(PLACES, str(grains.get('os_family') ?? '')) ||
    'The keyboard exeuction module cannot be loaded: only works on Redhat, Debian or Gentoo systems or if localectl binary in path.',
  functions: {
    get_sys: reads({
      doc: 'Return the layout of the console.',
      run: systemLayout,
    }),
    set_sys: changes({
      doc: 'Set the layout of the console.',
      example: 'keyboard.set_sys dvorak',
      args: { layout },
      run: (ctx, { layout }) => setSystemLayout(ctx, layout),
    }),
    get_x: reads({
      doc: 'Return the layout of X.',
      run: async (ctx) =>
        second(await outputOf(ctx, 'setxkbmap -query | grep layout', { python_shell: true }), ':').trim(),
    }),
    set_x: changes({
      doc: 'Set the layout of X.',
      example: 'keyboard.set_x dvorak',
      args: { layout },
      run: async (ctx, { layout }) => {
        await set(ctx, ['setxkbmap', ...layoutWords(layout)])
        return layout
      },
    }),
  },
})
