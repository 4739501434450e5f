// Machines of EC2, found by id, name, tags and states.
import { type Dict, failure, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES, filtersOf, tagFilters } from '../common/ec2.ts'
import { unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'

export const ec2Of = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'ec2', login)

export const SEARCH = {
  name: arg.text('Name of the machine, in its tag `Name`', { optional: true }),
  tags: arg.dict('Tags of the machine', { optional: true }),
  ...LOGIN,
  in_states: arg.words('States to look in, such as `running`; all unless given', { default: [] }),
  filters: arg.dict('Filters of DescribeInstances: values by name', { optional: true }),
}
export const ID = arg.text('Id of the machine', { optional: true })

export interface Search extends AwsLogin {
  instance_id?: string | null
  name?: string | null
  tags?: Dict | null
  in_states?: string[]
  filters?: Dict | null
}

/** Return all machines that match; none, with a line in the log, where AWS refuses. */
export async function findMachines(ctx: FunctionContext, search: Search): Promise<AwsAnswer[]> {
  const { instance_id, name, tags, in_states = [], filters } = search
  const all: [Value, Value][] = [...tagFilters(tags ?? new Map()), ...(filters ?? [])]
  if (name) all.push(['tag:Name', name])
  const parameters = { ...filtersOf(all), ...(instance_id && { InstanceId: [instance_id] }) }
  const found = await unlessFault(
    ec2Of(ctx, search).rows('DescribeInstances', parameters, 'reservationSet', EC2_PAGES),
    (error): AwsAnswer[] => {
      ctx.log('error', error.message)
      return []
    },
  )
  const machines = found.flatMap((one) => one.rows('instancesSet'))
  return in_states.length === 0
    ? machines
    : machines.filter((one) => in_states.includes(one.text('instanceState.name') ?? ''))
}

/** Return the id of the machine that matches; null where none does. Several are an error. */
export async function machineId(ctx: FunctionContext, search: Search): Promise<string | null> {
  const found = await findMachines(ctx, search)
  if (found.length > 1) throw failure('Found more than one instance matching the criteria.')
  return found[0]?.text('instanceId') ?? null
}

/** Return the description of a machine, in place of a Python object. */
export const shownMachine = (machine: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ['id', machine.text('instanceId')],
    ['state', machine.text('instanceState.name')],
    ['instance_type', machine.text('instanceType')],
    ['image_id', machine.text('imageId')],
    ['placement', machine.text('placement.availabilityZone')],
    ['vpc_id', machine.text('vpcId')],
    ['subnet_id', machine.text('subnetId')],
    ['private_ip_address', machine.text('privateIpAddress')],
    ['ip_address', machine.text('ipAddress')],
    ['tags', machine.pairs('tagSet')],
  ])
