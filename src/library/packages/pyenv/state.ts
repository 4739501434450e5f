// Python versions of pyenv.
import { isList, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

const versionOf = (name: string): string => name.replace(/^python-/, '')

async function isThere(ctx: StateContext, python: string, user: string | null): Promise<boolean> {
  const versions = await ctx.call('pyenv.versions', [user])
  return isList(versions) && versions.includes(python)
}

const has = async (ctx: StateContext, user: string | null): Promise<boolean> =>
  truthy(await ctx.call('pyenv.is_installed', [user]))

async function installed(ctx: StateContext, name: string, isDefault: boolean, user: string | null): Promise<Verdict> {
  const python = versionOf(name)
  if (ctx.test) return foreseen(`python ${python} is set to be installed`)
  if (!(await has(ctx, user)) && !truthy(await ctx.call('pyenv.install', [user]))) {
    return failed('pyenv failed to install')
  }
  const wasThere = await isThere(ctx, python, user)
  if (!wasThere && !truthy(await ctx.call('pyenv.install_python', [python], { runas: user }))) {
    return failed('Could not install python.')
  }
  if (isDefault) await ctx.call('pyenv.default', [python], { runas: user })
  return wasThere
    ? settled('Requested python exists.')
    : changed('Successfully installed python', { [python]: 'Installed' })
}

async function absent(ctx: StateContext, name: string, user: string | null): Promise<Verdict> {
  const python = versionOf(name)
  if (ctx.test) return foreseen(`python ${python} is set to be uninstalled`)
  if (!(await has(ctx, user))) return settled(`pyenv not installed, ${python} not either`)
  if (!(await isThere(ctx, python, user))) return settled(`python ${python} is already absent`)
  const current = await ctx.call('pyenv.default', [], { runas: user })
  if (str(current) === python) await ctx.call('pyenv.default', ['system'], { runas: user })
  return truthy(await ctx.call('pyenv.uninstall_python', [python], { runas: user }))
    ? changed('Successfully removed python', { [python]: 'Uninstalled' })
    : failed('Failed to uninstall python')
}

/** Install pyenv. Salt treats the user as a version here; this state follows the documentation. */
async function installPyenv(ctx: StateContext, user: string | null): Promise<Verdict> {
  if (ctx.test) return foreseen('pyenv is set to be installed')
  if (await has(ctx, user)) return settled('pyenv is already installed')
  return truthy(await ctx.call('pyenv.install', [user]))
    ? changed('Successfully installed pyenv', { pyenv: 'Installed' })
    : failed('pyenv failed to install')
}

const user = arg.text('User who owns the pyenv', { optional: true })
const name = arg.string('Python version, such as `3.12.1` or `python-3.12.1`')

export default defineState({
  name: 'pyenv',
  doc: 'Manage Python versions with pyenv.',
  functions: {
    installed: state({
      doc: 'Ensure that a Python version is installed, and pyenv itself.',
      args: { name, default: arg.flag('Make it the default version', { default: false }), user },
      run: async (ctx, { name, default: isDefault, user }) => (await installed(ctx, name, isDefault, user)).on(name),
    }),
    absent: state({
      doc: 'Ensure that a Python version is not installed.',
      args: { name, user },
      run: async (ctx, { name, user }) => (await absent(ctx, name, user)).on(name),
    }),
    install_pyenv: state({
      doc: 'Ensure that pyenv is installed.',
      args: { name: arg.string('Name of the state'), user },
      run: async (ctx, { name, user }) => (await installPyenv(ctx, user)).on(name),
    }),
  },
})
