// A clone of a repository, which is never updated.
import { isAbsolute } from 'node:path/posix'
import { toError } from '../../../../base/mod.ts'
import { dictFrom, isFailure, str } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import type { ClonedOptions } from './arguments.ts'
import { Checkout } from './checkout.ts'
import { Report, said } from './report.ts'

export async function cloned(ctx: StateContext, options: ClonedOptions): Promise<StateReturn> {
  const report = new Report(ctx, options.name)
  if (options.target === null) return report.end(false, "'target' argument is required")
  const target = str(options.target)
  if (!isAbsolute(target)) return report.end(false, "'target' path must be absolute")
  const { branch } = options
  if (branch === '') return report.end(false, "Invalid 'branch' argument")
  const checkout = new Checkout(ctx, target, options)
  if ((await ctx.host.stat(target)) === undefined) return clone(ctx, report, checkout, branch)
  try {
    await checkout.call('status')
  } catch (error) {
    return report.end(false, toError(error).message)
  }
  return switchBranch(ctx, report, checkout, branch)
}

async function clone(
  ctx: StateContext,
  report: Report,
  checkout: Checkout,
  branch: string | null,
): Promise<StateReturn> {
  const { name } = report
  const suffix = branch === null ? '' : ` with branch '${branch}'`
  if (!ctx.test) {
    try {
      await checkout.clone(name, branch === null ? null : ['--branch', branch])
    } catch (error) {
      if (!isFailure(error)) throw error
      return report.failed(`Clone failed: ${said(error)}`)
    }
  }
  report.changes.set('new', `${name} => ${checkout.target}`)
  if (ctx.test) return report.foreseen(`${name} would be cloned to ${checkout.target}${suffix}`)
  return report.end(true, `${name} cloned to ${checkout.target}${suffix}`)
}

async function switchBranch(
  ctx: StateContext,
  report: Report,
  checkout: Checkout,
  branch: string | null,
): Promise<StateReturn> {
  if (branch === null) return report.alreadyCloned(checkout.target, null)
  const current = await checkout.text('current_branch')
  if (current === branch) return report.alreadyCloned(checkout.target, branch)
  const change = dictFrom({ old: current, new: branch })
  if (ctx.test) {
    report.changes.set('branch', change)
    return report.foreseen(`Branch would be changed to '${branch}'`)
  }
  const isLocal = (await checkout.ask('rev_parse', [branch])) !== null
  const opts = isLocal ? null : ['-b', branch]
  try {
    await checkout.call('checkout', [], { rev: isLocal ? branch : `origin/${branch}`, opts })
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Failed to change branch to '${branch}': ${error.message}`)
  }
  report.changes.set('branch', change)
  return report.end(true, `Branch changed to '${branch}'`)
}
