// Zones of Route 53 as states.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'

const NAME = arg.text('Name of the state, and of the zone unless domain_name is given')
const DOMAIN = arg.text('Name of the zone, with a dot at its end', { optional: true })

async function zoneOf(ctx: StateContext, given: Record<string, Value>, login: AwsLogin): Promise<Dict | undefined> {
  const found = (await ctx.call('boto_route53.describe_hosted_zones', [], { ...given, ...loginOf(login) })) as Value
  return isDict(found) ? found : undefined
}

/** Return whether a network sees a private zone. */
function isSeen(zone: Dict, vpc_id: string | null): boolean {
  const networks = zone.get('VPCs') ?? null
  return vpc_id === null || (isList(networks) && networks.some((one) => isDict(one) && one.get('VPCId') === vpc_id))
}

async function idOfNetwork(ctx: StateContext, name: string | null, login: AwsLogin): Promise<string | null> {
  if (name === null) return null
  const found = (await ctx.call('boto_vpc.get_id', [], { name, ...loginOf(login) })) as Value
  return isDict(found) && truthy(found.get('id') ?? null) ? str(found.get('id')!) : null
}

export const hostedZoneStates = {
  hosted_zone_present: state({
    doc: 'Ensure that a zone exists. A public and a private zone may have the same name.',
    args: {
      name: NAME,
      domain_name: DOMAIN,
      private_zone: arg.flag('Whether only networks see it', { default: false }),
      caller_ref: arg.text('Unique text, so that a request that comes twice makes one zone', { optional: true }),
      comment: arg.text('Comment', { default: '' }),
      vpc_id: arg.text('Id of the network that sees it', { optional: true }),
      vpc_name: arg.text('Name of that network', { optional: true }),
      vpc_region: arg.text('Region of that network', { optional: true }),
      ...LOGIN,
    },
    run: (ctx, { name, domain_name: given, region, key, keyid, profile, ...zone }) => {
      const login = { region, key, keyid, profile }
      const domain_name = given ?? name
      const { private_zone, vpc_name } = zone
      return ensure(ctx, {
        name,
        look: async () => {
          const isNamed = Boolean(zone.vpc_id) !== Boolean(vpc_name)
          if (private_zone && !isNamed)
            return failed('Either vpc_name or vpc_id is required when creating a private zone.')
          const vpc = private_zone ? (zone.vpc_id ?? (await idOfNetwork(ctx, vpc_name, login))) : null
          if (private_zone && vpc === null)
            return failed('Private zone requested but a VPC matching given criteria not found.')
          const found = await zoneOf(ctx, { domain_name, private_zone }, login)
          if (found === undefined) return 'missing'
          if (isSeen(found, vpc)) return settled(`Hosted Zone ${domain_name} already in desired state`)
          return failed(`The private zone ${domain_name} exists for other networks: boto3_route53 can associate it`)
        },
        foresee: () => `Route53 Hosted Zone ${domain_name} set to be added.`,
        act: async () => {
          const call = { ...zone, domain_name, ...loginOf(login) }
          const made = (await ctx.call('boto_route53.create_hosted_zone', [], call)) as Value
          if (!truthy(made)) return failed(`Creating Hosted Zone ${domain_name} failed`)
          return changed(`Hosted Zone ${domain_name} successfully created`, { old: null, new: made })
        },
      })
    },
  }),
  hosted_zone_absent: state({
    doc: 'Ensure that no zone of a name exists.',
    args: { name: NAME, domain_name: DOMAIN, ...LOGIN },
    run: (ctx, { name, domain_name: given, ...login }) => {
      const domain_name = given ?? name
      return ensure<Dict>(ctx, {
        name,
        look: async () =>
          (await zoneOf(ctx, { domain_name }, login)) ?? settled(`Hosted Zone ${domain_name} already absent`),
        foresee: () => `Route53 Hosted Zone ${domain_name} set to be deleted.`,
        act: async (zone) => {
          const call = { zone: domain_name, ...loginOf(login) }
          const gone = (await ctx.call('boto_route53.delete_zone', [], call)) as Value
          if (!truthy(gone)) return failed(`Deleting Hosted Zone ${domain_name} failed`)
          return changed(`Route53 Hosted Zone ${domain_name} deleted`, { old: zone, new: null })
        },
      })
    },
  }),
}
