// Load balancers (classic ELB) by Salt's names.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { tagsOf } from '../common/ec2.ts'
import { isAccepted } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { dictsOf, listOf, textsOf } from '../common/structured.ts'
import {
  allBalancers,
  configOf,
  elbOf,
  findBalancer,
  isDone,
  listenerParameters,
  listenerTuple,
  NAME,
  NAMED,
  portOf,
} from './balancer.ts'
import { instanceFunctions } from './instance-functions.ts'
import { policyFunctions } from './policy-functions.ts'
import { settingFunctions } from './setting-functions.ts'

const listeners = arg.any(
  'Dicts with `elb_port`, `instance_port`, `elb_protocol`, and where wanted `instance_protocol` and `certificate` (an ARN); or JSON of them',
)
const zones = arg.any('Availability zones, a list or JSON of one')
const subnets = arg.any('Ids of subnets, a list or JSON of one')
const DONE = ret.boolean('Whether it is done')

export default defineModule({
  name: 'boto_elb',
  doc: 'Manage load balancers (classic ELB).',
  functions: {
    exists: reads({
      doc: 'Return whether a load balancer exists.',
      example: 'boto_elb.exists myelb region=us-east-1',
      args: NAMED,
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { name, ...login }) => (await findBalancer(elbOf(ctx, login), name)) !== undefined,
    }),
    get_all_elbs: reads({
      doc: 'Return all load balancers.',
      example: 'boto_elb.get_all_elbs region=us-east-1',
      args: LOGIN,
      returns: ret.dicts('`name` and the configuration of each'),
      run: async (ctx, login) => {
        const elb = elbOf(ctx, login)
        const all: Dict[] = []
        for (const row of await allBalancers(elb)) {
          all.push(new Map<Value, Value>([['name', row.text('LoadBalancerName')], ...(await configOf(elb, row))]))
        }
        return all
      },
    }),
    list_elbs: reads({
      doc: 'Return the names of all load balancers.',
      example: 'boto_elb.list_elbs region=us-east-1',
      args: LOGIN,
      returns: ret.texts('Names'),
      run: async (ctx, login) =>
        (await allBalancers(elbOf(ctx, login))).map((row) => row.text('LoadBalancerName') ?? ''),
    }),
    get_elb_config: reads({
      doc: 'Return the configuration of a load balancer.',
      example: 'boto_elb.get_elb_config myelb region=us-east-1',
      args: NAMED,
      returns: ret.dict(
        '`availability_zones`, `listeners`, `backends`, `subnets`, `security_groups`, `scheme`, `dns_name`, `tags`, `policies` and others; empty where there is none',
      ),
      run: async (ctx, { name, ...login }) => {
        const elb = elbOf(ctx, login)
        const row = await findBalancer(elb, name)
        return row === undefined ? new Map() : configOf(elb, row)
      },
    }),
    listener_dict_to_tuple: reads({
      doc: 'Return a listener as a tuple of its ports, its protocols and, where it has one, its certificate.',
      example: `boto_elb.listener_dict_to_tuple '{"elb_port": 80, "instance_port": 80, "elb_protocol": "HTTP"}'`,
      args: { listener: arg.dict('The listener') },
      returns: ret.list('Port, port of the machines, protocol, protocol to the machines, certificate'),
      run: (_ctx, { listener }) => listenerTuple(listener),
    }),
    create: changes({
      doc: 'Create a load balancer. One that exists is left as it is.',
      example: `boto_elb.create myelb '["us-east-1a"]' '[{"elb_port": 80, "instance_port": 80, "elb_protocol": "HTTP"}]'`,
      args: {
        name: NAME,
        availability_zones: zones,
        listeners,
        subnets: arg.any('Ids of subnets, in place of zones', { optional: true }),
        security_groups: arg.any('Ids of security groups', { optional: true }),
        scheme: arg.text('`internet-facing` or `internal`', { default: 'internet-facing' }),
        ...LOGIN,
      },
      returns: ret.boolean('Whether it is there'),
      run: async (
        ctx,
        { name, availability_zones, listeners: given, subnets: nets, security_groups, scheme, ...login },
      ) => {
        const elb = elbOf(ctx, login)
        if ((await findBalancer(elb, name)) !== undefined) return true
        const parameters = {
          LoadBalancerName: name,
          AvailabilityZones: textsOf('availability_zones', availability_zones),
          Listeners: dictsOf('listeners', given).map(listenerParameters),
          Subnets: textsOf('subnets', nets),
          SecurityGroups: textsOf('security_groups', security_groups),
          Scheme: scheme === 'internal' ? scheme : null,
        }
        return isAccepted(ctx, elb.query('CreateLoadBalancer', parameters))
      },
    }),
    delete: changes({
      doc: 'Delete a load balancer.',
      example: 'boto_elb.delete myelb region=us-east-1',
      args: NAMED,
      returns: ret.boolean('Whether it is gone'),
      run: async (ctx, { name, ...login }) => {
        if ((await findBalancer(elbOf(ctx, login), name)) === undefined) return true
        return isDone(ctx, { action: 'DeleteLoadBalancer', name, login })
      },
    }),
    create_listeners: changes({
      doc: 'Add listeners to a load balancer.',
      example: `boto_elb.create_listeners myelb '[{"elb_port": 80, "instance_port": 80, "elb_protocol": "HTTP"}]'`,
      args: { name: NAME, listeners, ...LOGIN },
      returns: DONE,
      run: (ctx, { name, listeners: given, ...login }) => {
        const parameters = { Listeners: dictsOf('listeners', given).map(listenerParameters) }
        return isDone(ctx, { action: 'CreateLoadBalancerListeners', name, login, parameters })
      },
    }),
    delete_listeners: changes({
      doc: 'Remove listeners from a load balancer.',
      example: "boto_elb.delete_listeners myelb '[80, 443]'",
      args: { name: NAME, ports: arg.any('Ports of the load balancer, a list or JSON of one'), ...LOGIN },
      returns: DONE,
      run: (ctx, { name, ports, ...login }) => {
        const parameters = { LoadBalancerPorts: listOf('ports', ports).map(portOf) }
        return isDone(ctx, { action: 'DeleteLoadBalancerListeners', name, login, parameters })
      },
    }),
    apply_security_groups: changes({
      doc: 'Set the security groups of a load balancer: these and no others.',
      example: `boto_elb.apply_security_groups myelb '["sg-12345678"]'`,
      args: { name: NAME, security_groups: arg.any('Ids of groups, a list or JSON of one'), ...LOGIN },
      returns: DONE,
      run: (ctx, { name, security_groups, ...login }) => {
        const parameters = { SecurityGroups: textsOf('security_groups', security_groups) }
        return isDone(ctx, { action: 'ApplySecurityGroupsToLoadBalancer', name, login, parameters })
      },
    }),
    enable_availability_zones: changes({
      doc: 'Add availability zones to a load balancer.',
      example: `boto_elb.enable_availability_zones myelb '["us-east-1a"]'`,
      args: { name: NAME, availability_zones: zones, ...LOGIN },
      returns: DONE,
      run: (ctx, { name, availability_zones, ...login }) => {
        const parameters = { AvailabilityZones: textsOf('availability_zones', availability_zones) }
        return isDone(ctx, { action: 'EnableAvailabilityZonesForLoadBalancer', name, login, parameters })
      },
    }),
    disable_availability_zones: changes({
      doc: 'Remove availability zones from a load balancer.',
      example: `boto_elb.disable_availability_zones myelb '["us-east-1a"]'`,
      args: { name: NAME, availability_zones: zones, ...LOGIN },
      returns: DONE,
      run: (ctx, { name, availability_zones, ...login }) => {
        const parameters = { AvailabilityZones: textsOf('availability_zones', availability_zones) }
        return isDone(ctx, { action: 'DisableAvailabilityZonesForLoadBalancer', name, login, parameters })
      },
    }),
    attach_subnets: changes({
      doc: 'Add subnets to a load balancer.',
      example: `boto_elb.attach_subnets myelb '["subnet-12345678"]'`,
      args: { name: NAME, subnets, ...LOGIN },
      returns: DONE,
      run: (ctx, { name, subnets: nets, ...login }) => {
        const parameters = { Subnets: textsOf('subnets', nets) }
        return isDone(ctx, { action: 'AttachLoadBalancerToSubnets', name, login, parameters })
      },
    }),
    detach_subnets: changes({
      doc: 'Remove subnets from a load balancer.',
      example: `boto_elb.detach_subnets myelb '["subnet-12345678"]'`,
      args: { name: NAME, subnets, ...LOGIN },
      returns: DONE,
      run: (ctx, { name, subnets: nets, ...login }) => {
        const parameters = { Subnets: textsOf('subnets', nets) }
        return isDone(ctx, { action: 'DetachLoadBalancerFromSubnets', name, login, parameters })
      },
    }),
    set_tags: changes({
      doc: 'Set tags of a load balancer. Other tags stay.',
      example: `boto_elb.set_tags myelb '{"team": "web"}'`,
      args: { name: NAME, tags: arg.dict('Tags by name'), ...LOGIN },
      returns: DONE,
      run: (ctx, { name, tags, ...login }) => {
        const call = elbOf(ctx, login).query('AddTags', { LoadBalancerNames: [name], Tags: tagsOf(tags) })
        return isAccepted(ctx, call)
      },
    }),
    delete_tags: changes({
      doc: 'Remove tags from a load balancer.',
      example: 'boto_elb.delete_tags myelb team',
      args: { name: NAME, tags: arg.words('Names of tags'), ...LOGIN },
      returns: DONE,
      run: (ctx, { name, tags, ...login }) => {
        const Tags = tags.map((tag) => ({ Key: str(tag) }))
        return isAccepted(ctx, elbOf(ctx, login).query('RemoveTags', { LoadBalancerNames: [name], Tags }))
      },
    }),
    ...settingFunctions,
    ...policyFunctions,
    ...instanceFunctions,
  },
})
