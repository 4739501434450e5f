// Functions and states for AWS, called as users call them, against a service of a test.
import { expect } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import asg from '../../src/library/aws/asg/boto_asg.module.ts'
import asgStates from '../../src/library/aws/asg/boto_asg.state.ts'
import launchStates from '../../src/library/aws/asg/boto_lc.state.ts'
import cloudwatch from '../../src/library/aws/cloudwatch/boto_cloudwatch.module.ts'
import cloudwatchStates from '../../src/library/aws/cloudwatch/boto_cloudwatch_alarm.state.ts'
import dynamodb from '../../src/library/aws/dynamodb/boto_dynamodb.module.ts'
import dynamodbStates from '../../src/library/aws/dynamodb/boto_dynamodb.state.ts'
import ec2 from '../../src/library/aws/ec2/boto_ec2.module.ts'
import ec2States from '../../src/library/aws/ec2/boto_ec2.state.ts'
import cache from '../../src/library/aws/elasticache/boto3_elasticache.module.ts'
import cacheStates from '../../src/library/aws/elasticache/boto3_elasticache.state.ts'
import elb from '../../src/library/aws/elb/boto_elb.module.ts'
import elbStates from '../../src/library/aws/elb/boto_elb.state.ts'
import elbv2 from '../../src/library/aws/elbv2/boto_elbv2.module.ts'
import elbv2States from '../../src/library/aws/elbv2/boto_elbv2.state.ts'
import iam from '../../src/library/aws/iam/boto_iam.module.ts'
import iamStates from '../../src/library/aws/iam/boto_iam.state.ts'
import iamRoleStates from '../../src/library/aws/iam/boto_iam_role.state.ts'
import kms from '../../src/library/aws/kms/boto_kms.module.ts'
import kmsStates from '../../src/library/aws/kms/boto_kms.state.ts'
import lambda from '../../src/library/aws/lambda/boto_lambda.module.ts'
import lambdaStates from '../../src/library/aws/lambda/boto_lambda.state.ts'
import rds from '../../src/library/aws/rds/boto_rds.module.ts'
import rdsStates from '../../src/library/aws/rds/boto_rds.state.ts'
import route53 from '../../src/library/aws/route53/boto_route53.module.ts'
import route53States from '../../src/library/aws/route53/boto_route53.state.ts'
import route53New from '../../src/library/aws/route53/boto3_route53.module.ts'
import route53NewStates from '../../src/library/aws/route53/boto3_route53.state.ts'
import s3Objects from '../../src/library/aws/s3/boto_s3.module.ts'
import s3ObjectStates from '../../src/library/aws/s3/boto_s3.state.ts'
import s3 from '../../src/library/aws/s3/s3.module.ts'
import s3Bucket from '../../src/library/aws/s3_bucket/boto_s3_bucket.module.ts'
import s3BucketStates from '../../src/library/aws/s3_bucket/boto_s3_bucket.state.ts'
import secgroup from '../../src/library/aws/secgroup/boto_secgroup.module.ts'
import secgroupStates from '../../src/library/aws/secgroup/boto_secgroup.state.ts'
import sns from '../../src/library/aws/sns/boto_sns.module.ts'
import snsStates from '../../src/library/aws/sns/boto_sns.state.ts'
import snsNew from '../../src/library/aws/sns/boto3_sns.module.ts'
import snsNewStates from '../../src/library/aws/sns/boto3_sns.state.ts'
import sqs from '../../src/library/aws/sqs/boto_sqs.module.ts'
import sqsStates from '../../src/library/aws/sqs/boto_sqs.state.ts'
import ssm from '../../src/library/aws/ssm/boto_ssm.module.ts'
import vpc from '../../src/library/aws/vpc/boto_vpc.module.ts'
import vpcStates from '../../src/library/aws/vpc/boto_vpc.state.ts'
import {
  type Keywords,
  type ModuleDeclaration,
  type StateDeclaration,
  type StateTrial,
  tryFunction,
  tryState,
} from '../../src/sdk/mod.ts'

const MODULES: ModuleDeclaration[] = [
  asg,
  cache,
  cloudwatch,
  dynamodb,
  ec2,
  elb,
  elbv2,
  iam,
  kms,
  lambda,
  rds,
  route53,
  route53New,
  s3,
  s3Objects,
  s3Bucket,
  secgroup,
  sns,
  snsNew,
  sqs,
  ssm,
  vpc,
]
const STATES: StateDeclaration[] = [
  asgStates,
  cacheStates,
  launchStates,
  cloudwatchStates,
  dynamodbStates,
  ec2States,
  elbStates,
  elbv2States,
  iamStates,
  iamRoleStates,
  kmsStates,
  lambdaStates,
  rdsStates,
  route53States,
  route53NewStates,
  s3BucketStates,
  s3ObjectStates,
  secgroupStates,
  snsStates,
  snsNewStates,
  sqsStates,
  vpcStates,
]

const host = new LocalHost()

/** All functions of the modules by name, which call each other. */
const others: Record<string, (args: readonly Value[], kwargs: Keywords) => Promise<Value>> = Object.fromEntries(
  MODULES.flatMap((module) =>
    Object.keys(module.functions).map((name) => [
      `${module.name}.${name}`,
      (args: readonly Value[], kwargs: Keywords) => tryFunction(module, name, { args, kwargs, host, others }),
    ]),
  ),
)

/** States that other states call. */
const states = (test: boolean): NonNullable<StateTrial['states']> =>
  Object.fromEntries(
    STATES.flatMap((declaration) =>
      Object.keys(declaration.functions).map((name) => [
        `${declaration.name}.${name}`,
        (kwargs: Keywords) => tryState(declaration, name, { kwargs, host, others, test }),
      ]),
    ),
  )

interface Report {
  result: boolean | null
  comment: string | string[]
  changes: Record<string, Record<string, unknown>>
}

export class AwsCalls {
  private readonly url: string

  constructor(url: string) {
    this.url = url
  }

  private keywords(given: Plain): Record<string, Value> {
    const login = { region: 'us-east-1', keyid: 'AKID', key: 'a secret key', endpoint_url: this.url }
    return { ...keywordsOf(given), profile: fromPlain(login) }
  }

  async call(name: string, given: Plain = {}): Promise<unknown> {
    return toPlain(await others[name]!([], this.keywords(given)))
  }

  /** Call a function that calls no service. */
  async plain(name: string, given: Plain): Promise<unknown> {
    return toPlain(await others[name]!([], keywordsOf(given)))
  }

  /** Call a function of `s3`, which has different parameters. */
  async s3(name: string, given: Plain): Promise<unknown> {
    const { host: service_url } = new URL(this.url)
    const access = { key: 'a secret key', keyid: 'AKID', service_url, https_enable: false, path_style: true }
    return toPlain(await others[name]!([], { ...keywordsOf(given), ...access }))
  }

  async run(name: string, given: Plain, isTest: boolean, options: Plain = {}): Promise<Report> {
    const [module, fun] = name.split('.') as [string, string]
    const declaration = STATES.find((one) => one.name === module)!
    const opts = fromPlain(options) as Dict
    const trial = { kwargs: this.keywords(given), opts, host, others, test: isTest, states: states(isTest) }
    return toPlain(await tryState(declaration, fun, trial)) as unknown as Report
  }

  /** Apply a state: first foreseen, then for real, then once more, which must change nothing. */
  async apply(name: string, given: Plain): Promise<{ foreseen: Report; done: Report; again: Report }> {
    const foreseen = await this.run(name, given, true)
    const done = await this.run(name, given, false)
    const again = await this.run(name, given, false)
    const outcome = [name, again.result, again.changes, done.result]
    expect(outcome, String(done.comment)).toEqual([name, true, {}, true])
    return { foreseen, done, again }
  }
}

const keywordsOf = (given: Plain): Record<string, Value> =>
  Object.fromEntries(fromPlain(given) as Dict as unknown as Map<string, Value>)
