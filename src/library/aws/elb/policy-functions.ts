// Functions about the policies of a load balancer.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, ret } from '../../../sdk/mod.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { elbOf, findBalancer, isDone, NAME, portOf } from './balancer.ts'

const POLICY_NAME = arg.text('Name of the policy')
const PORT = { port: arg.any('Port'), policies: arg.words('Names of policies; none unless given', { optional: true }) }

const attributesOf = (policy: Dict): Parameters[] =>
  [...policy].map(([name, value]) => ({ AttributeName: str(name), AttributeValue: str(value) }))

const exists = async (ctx: FunctionContext, name: string, login: AwsLogin): Promise<boolean> =>
  (await findBalancer(elbOf(ctx, login), name)) !== undefined

interface PortPolicies extends AwsLogin {
  name: string
  port: Value
  policies: string[] | null
}

/** Set the policies of a port; do nothing if the load balancer does not exist. */
async function setPolicies(
  ctx: FunctionContext,
  { name, port, policies, ...login }: PortPolicies,
  { action, parameter }: { action: string; parameter: string },
): Promise<boolean> {
  if (!(await exists(ctx, name, login))) return true
  // an empty list is a word without a value
  const PolicyNames = policies === null || policies.length === 0 ? '' : policies
  return isDone(ctx, { action, name, login, parameters: { [parameter]: portOf(port), PolicyNames } })
}

export const policyFunctions = {
  create_policy: changes({
    doc: 'Create a policy of a load balancer.',
    example: `boto_elb.create_policy myelb mypolicy LBCookieStickinessPolicyType '{"CookieExpirationPeriod": 3600}'`,
    args: {
      name: NAME,
      policy_name: POLICY_NAME,
      policy_type: arg.text('Type, such as `LBCookieStickinessPolicyType`'),
      policy: arg.dict('Attributes of the policy'),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was created; False where there is no load balancer'),
    run: async (ctx, { name, policy_name, policy_type, policy, ...login }) => {
      if (!(await exists(ctx, name, login))) return false
      const parameters = {
        PolicyName: policy_name,
        PolicyTypeName: policy_type,
        PolicyAttributes: attributesOf(policy),
      }
      return isDone(ctx, { action: 'CreateLoadBalancerPolicy', name, login, parameters })
    },
  }),
  delete_policy: changes({
    doc: 'Delete a policy of a load balancer.',
    example: 'boto_elb.delete_policy myelb mypolicy',
    args: { name: NAME, policy_name: POLICY_NAME, ...LOGIN },
    returns: ret.boolean('Whether it is gone'),
    run: async (ctx, { name, policy_name, ...login }) => {
      if (!(await exists(ctx, name, login))) return true
      const parameters = { PolicyName: policy_name }
      return isDone(ctx, { action: 'DeleteLoadBalancerPolicy', name, login, parameters })
    },
  }),
  set_listener_policy: changes({
    doc: 'Set the policies of a listener: these and no others.',
    example: "boto_elb.set_listener_policy myelb 443 '[policy1, policy2]'",
    args: { name: NAME, ...PORT, ...LOGIN },
    returns: ret.boolean('Whether they are set; True where there is no load balancer'),
    run: (ctx, given) =>
      setPolicies(ctx, given, { action: 'SetLoadBalancerPoliciesOfListener', parameter: 'LoadBalancerPort' }),
  }),
  set_backend_policy: changes({
    doc: 'Set the policies of a port of the machines: these and no others.',
    example: "boto_elb.set_backend_policy myelb 443 '[policy1, policy2]'",
    args: { name: NAME, ...PORT, ...LOGIN },
    returns: ret.boolean('Whether they are set; True where there is no load balancer'),
    run: (ctx, given) =>
      setPolicies(ctx, given, { action: 'SetLoadBalancerPoliciesForBackendServer', parameter: 'InstancePort' }),
  }),
}
