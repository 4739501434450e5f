// `pip install` and `pip uninstall`.
import { type Dict, dictFrom, iterate, str, truthy, type Value } from '../../../../data/mod.ts'
import type { CommandOutcome, FunctionContext } from '../../../../sdk/mod.ts'

import { AFTER, BEFORE, extraArgs, type Given, listOf, logFile, optionWords, proxy, timeout } from './options.ts'
import { environment, forgetVersion, pipVersion, runPip } from './program.ts'
import { type RequirementFiles, requirementWords } from './requirements.ts'

const asDict = ({ pid, retcode, stdout, stderr }: CommandOutcome): Dict => dictFrom({ pid, retcode, stdout, stderr })

const refused = (comment: string): Dict => dictFrom({ result: false, comment })

async function tidy(ctx: FunctionContext, { temporary }: RequirementFiles, bin_env: Value): Promise<void> {
  forgetVersion(ctx, bin_env)
  if (temporary !== undefined) await ctx.host.removeDirectory(temporary, { recursive: true })
}

export async function install(ctx: FunctionContext, given: Given, further: ReadonlyMap<string, Value>): Promise<Dict> {
  const { bin_env = null, user = null, cwd = null, saltenv = 'base', requirements = null } = given
  const files = await requirementWords(ctx, requirements, { cwd, saltenv, user })
  if (files.missing !== undefined) return refused(files.missing)
  try {
    const version = (await pipVersion(ctx, { bin_env, user, cwd })) ?? ''
    const names = truthy(given['pkgs'] ?? null) ? listOf(given['pkgs']!).map((name) => name.replaceAll(';', ',')) : []
    if (names.length === 0 && !truthy(requirements) && !truthy(given['editable'] ?? null)) {
      return dictFrom({ retcode: 0, stdout: 'No packages to install.' })
    }
    const words = [
      'install',
      ...files.words,
      ...(await optionWords(ctx, BEFORE, given, version)),
      ...names,
      ...(await optionWords(ctx, AFTER, given, version)),
    ]
    const env = await environment(ctx, bin_env, given['env_vars'] ?? null)
    const options = { saltenv, use_vt: given['use_vt'] ?? false, env, ...Object.fromEntries(further) }
    return asDict(await runPip(ctx, { bin_env, user, cwd }, words, options))
  } finally {
    await tidy(ctx, files, bin_env)
  }
}

export async function uninstall(ctx: FunctionContext, given: Given): Promise<Dict> {
  const { bin_env = null, user = null, cwd = null, saltenv = 'base', requirements = null } = given
  const files = await requirementWords(ctx, requirements, { cwd, saltenv, user })
  if (files.missing !== undefined) return refused(files.missing)
  try {
    const words = [
      'uninstall',
      '-y',
      ...files.words,
      ...(await optionWords(ctx, [logFile, proxy, timeout], given, '')),
      ...(await namesBeside(ctx, given['pkgs'] ?? null, requirements)),
      ...(await optionWords(ctx, [extraArgs], given, '')),
    ]
    const options = { saltenv, use_vt: given['use_vt'] ?? false }
    return asDict(await runPip(ctx, { bin_env, user, cwd }, words, options))
  } finally {
    await tidy(ctx, files, bin_env)
  }
}

/** Return the packages that the requirements files do not pin. */
async function namesBeside(ctx: FunctionContext, pkgs: Value, requirements: Value): Promise<string[]> {
  if (!truthy(pkgs)) return []
  const pinned = new Set<string>()
  const files = Array.isArray(requirements) ? [...iterate(requirements)] : []
  for (const file of files) {
    const text = Buffer.from(await ctx.host.read(str(file))).toString()
    for (const [, name] of text.matchAll(/^([^=\n]+)==[^=\n]*$/gm)) pinned.add(name!)
  }
  return listOf(pkgs).filter((name) => !pinned.has(name))
}
