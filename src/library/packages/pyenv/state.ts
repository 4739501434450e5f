// Versions of Python that pyenv keeps.
import { isList, str, truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const versionOf = (name: string): string => name.replace(/^python-/, '')

async function isThere(ctx: StateContext, python: string, user: string | null): Promise<boolean> {
  const versions = await ctx.call('pyenv.versions', [user])
  return isList(versions) && versions.includes(python)
}

const has = async (ctx: StateContext, user: string | null): Promise<boolean> =>
  truthy(await ctx.call('pyenv.is_installed', [user]))

type Told = (result: boolean | null, comment: string, changes?: Record<string, string>) => StateReturn

const telling =
  (name: string): Told =>
  (result, comment, changes = {}) => ({ name, result, comment, changes })

async function installed(
  ctx: StateContext,
  name: string,
  isDefault: boolean,
  user: string | null,
): Promise<StateReturn> {
  const told = telling(name)
  const python = versionOf(name)
  if (ctx.test) return told(null, `python ${python} is set to be installed`)
  if (!(await has(ctx, user)) && !truthy(await ctx.call('pyenv.install', [user]))) {
    return told(false, 'pyenv failed to install')
  }
  const wasThere = await isThere(ctx, python, user)
  if (!wasThere && !truthy(await ctx.call('pyenv.install_python', [python], { runas: user }))) {
    return told(false, 'Could not install python.')
  }
  if (isDefault) await ctx.call('pyenv.default', [python], { runas: user })
  return wasThere
    ? told(true, 'Requested python exists.')
    : told(true, 'Successfully installed python', { [python]: 'Installed' })
}

async function absent(ctx: StateContext, name: string, user: string | null): Promise<StateReturn> {
  const told = telling(name)
  const python = versionOf(name)
  if (ctx.test) return told(null, `python ${python} is set to be uninstalled`)
  if (!(await has(ctx, user))) return told(true, `pyenv not installed, ${python} not either`)
  if (!(await isThere(ctx, python, user))) return told(true, `python ${python} is already absent`)
  const current = await ctx.call('pyenv.default', [], { runas: user })
  if (str(current) === python) await ctx.call('pyenv.default', ['system'], { runas: user })
  return truthy(await ctx.call('pyenv.uninstall_python', [python], { runas: user }))
    ? told(true, 'Successfully removed python', { [python]: 'Uninstalled' })
    : told(false, 'Failed to uninstall python')
}

/** Salt's own takes the user for a version here; what it is meant to do is done. */
async function installPyenv(ctx: StateContext, name: string, user: string | null): Promise<StateReturn> {
  const told = telling(name)
  if (ctx.test) return told(null, 'pyenv is set to be installed')
  if (await has(ctx, user)) return told(true, 'pyenv is already installed')
  return truthy(await ctx.call('pyenv.install', [user]))
    ? told(true, 'Successfully installed pyenv', { pyenv: 'Installed' })
    : told(false, 'pyenv failed to install')
}

const user = arg.text('Whose pyenv it is', { optional: true })
const name = arg.string('The version of Python')

export default defineState({
  name: 'pyenv',
  doc: 'Keep versions of Python with pyenv.',
  functions: {
    installed: state({
      doc: 'A version is installed, and pyenv with it.',
      args: { name, default: arg.flag('Whether it is the one that counts', { default: false }), user },
      run: (ctx, { name, default: isDefault, user }) => installed(ctx, name, isDefault, user),
    }),
    absent: state({
      doc: 'A version is not installed.',
      args: { name, user },
      run: (ctx, { name, user }) => absent(ctx, name, user),
    }),
    install_pyenv: state({
      doc: 'pyenv is installed.',
      args: { name: arg.string('Any name'), user },
      run: (ctx, { name, user }) => installPyenv(ctx, name, user),
    }),
  },
})
