// States of policies of files and ports.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { Result, StateContext, StateReturn } from '../../../../sdk/mod.ts'

interface FileRequest {
  name: string
  filetype: string
  sel_type: string | null
  sel_user: string | null
  sel_level: string | null
}

const failed = (answer: Value): boolean => (answer as Dict).get('retcode') !== 0

/** Return an undecided report; the result of a dry run is None. */
const open = (ctx: StateContext, name: string, changes: Result = {}): StateReturn => ({
  name,
  changes,
  result: ctx.test ? null : true,
  comment: '',
})

const refused = (name: string, what: string, answer: Value, changes: Result = {}): StateReturn => ({
  name,
  changes,
  result: false,
  comment: `Error ${what}: ${str(answer)}`,
})

export async function filePresent(ctx: StateContext, request: FileRequest): Promise<StateReturn> {
  const { name, sel_type } = request
  const filetype = str(await ctx.call('selinux.filetype_id_to_string', [request.filetype]))
  const current = await ctx.call('selinux.fcontext_get_policy', [], { ...request })
  if (current instanceof Map && current.get('sel_type') === sel_type) {
    const spec = `with specified filetype "${filetype}" and sel_type "${str(sel_type)}".`
    return { name, changes: {}, result: true, comment: `SELinux policy for "${name}" already present ${spec}` }
  }
  if (ctx.test) return open(ctx, name)
  const answer = await ctx.call('selinux.fcontext_add_policy', [], { ...request })
  if (failed(answer)) return refused(name, 'adding new rule', answer)
  const differs = current instanceof Map
  const old: Result = differs ? { [name]: { sel_type: current.get('sel_type') ?? null } } : {}
  return open(ctx, name, { old, new: { [name]: differs ? { sel_type } : { filetype, sel_type } } })
}

export async function fileAbsent(ctx: StateContext, request: FileRequest): Promise<StateReturn> {
  const { name, filetype, sel_type } = request
  const current = await ctx.call('selinux.fcontext_get_policy', [], { ...request })
  if (!(current instanceof Map)) {
    const spec = `with specified filetype "${filetype}" and sel_type "${str(sel_type)}".`
    return { name, changes: {}, result: true, comment: `SELinux policy for "${name}" already absent ${spec}` }
  }
  const changes = { old: { [name]: current }, new: {} }
  if (ctx.test) return open(ctx, name, changes)
  const type = sel_type || current.get('sel_type')!
  const answer = await ctx.call('selinux.fcontext_delete_policy', [], { ...request, sel_type: type })
  return failed(answer) ? refused(name, 'removing policy', answer, changes) : open(ctx, name, changes)
}

export async function fileApplied(ctx: StateContext, name: string, recursive: boolean): Promise<StateReturn> {
  if ((await ctx.call('selinux.fcontext_policy_is_applied', [name, recursive])) === '') {
    const comment = `SElinux policies are already applied for filespec "${name}"`
    return { name, changes: {}, result: true, comment }
  }
  if (ctx.test) return open(ctx, name)
  const answer = await ctx.call('selinux.fcontext_apply_policy', [name, recursive])
  if (failed(answer)) return { name, changes: {}, result: false, comment: str(answer) }
  return open(ctx, name, answer.get('changes') ?? {})
}

interface PortRequest {
  name: string
  sel_type: string | null
  protocol: string | null
  port: string | null
}

const portText = ({ name, sel_type, protocol, port }: PortRequest, status: string): string => {
  const spec = `sel_type "${str(sel_type)}", protocol "${str(protocol)}" and port "${str(port)}".`
  return `SELinux policy for "${name}" already ${status} with specified ${spec}`
}

export async function portPresent(
  ctx: StateContext,
  request: PortRequest & { sel_range: string | null },
): Promise<StateReturn> {
  const { sel_range, ...which } = request
  const { name, protocol, port } = request
  if (truthy(await ctx.call('selinux.port_get_policy', [], which))) {
    return { name, changes: {}, result: true, comment: portText(request, 'present') }
  }
  if (ctx.test) return open(ctx, name)
  const old = await ctx.call('selinux.port_get_policy', [], { name, protocol, port })
  const verb = truthy(old) ? 'modify' : 'add'
  const answer = await ctx.call(`selinux.port_${verb}_policy`, [], { ...which, sel_range })
  if (failed(answer)) return refused(name, 'adding new policy', answer)
  return open(ctx, name, { old, new: await ctx.call('selinux.port_get_policy', [], which) })
}

export async function portAbsent(ctx: StateContext, request: PortRequest): Promise<StateReturn> {
  const { name, protocol, port } = request
  const old = await ctx.call('selinux.port_get_policy', [], { ...request })
  if (!truthy(old)) return { name, changes: {}, result: true, comment: portText(request, 'absent') }
  if (ctx.test) return open(ctx, name)
  const answer = await ctx.call('selinux.port_delete_policy', [], { name, protocol, port })
  if (failed(answer)) return refused(name, 'deleting policy', answer)
  return open(ctx, name, { old, new: await ctx.call('selinux.port_get_policy', [], { ...request }) })
}
