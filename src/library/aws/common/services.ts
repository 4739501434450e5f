// The services of AWS that plug-ins call: format of requests, endpoint, and name for signing.

/** `query`: a form, answered with XML. `json`: a JSON document with the header `x-amz-target`. `rest`: method and path. */
interface Service {
  protocol: 'query' | 'json' | 'rest'
  /** First label of the host name, and the name in signatures unless `signing` has another. */
  host: string
  signing?: string
  version: string
  /** Lists in forms: `Name.1` where flat, else `Name.member.1`. */
  isFlat?: boolean
  /** One endpoint for all regions of a partition, signed for this region. */
  global?: string
  /** Before the action in the header `x-amz-target`. */
  target?: string
}

export const SERVICES = {
  ec2: { protocol: 'query', host: 'ec2', version: '2016-11-15', isFlat: true },
  elb: { protocol: 'query', host: 'elasticloadbalancing', version: '2012-06-01' },
  elbv2: { protocol: 'query', host: 'elasticloadbalancing', version: '2015-12-01' },
  iam: { protocol: 'query', host: 'iam', version: '2010-05-08', global: 'us-east-1' },
  sts: { protocol: 'query', host: 'sts', version: '2011-06-15' },
  sqs: { protocol: 'query', host: 'sqs', version: '2012-11-05', isFlat: true },
  sns: { protocol: 'query', host: 'sns', version: '2010-03-31' },
  rds: { protocol: 'query', host: 'rds', version: '2014-10-31', isFlat: true },
  elasticache: { protocol: 'query', host: 'elasticache', version: '2015-02-02', isFlat: true },
  autoscaling: { protocol: 'query', host: 'autoscaling', version: '2011-01-01' },
  cloudwatch: { protocol: 'query', host: 'monitoring', version: '2010-08-01' },
  dynamodb: { protocol: 'json', host: 'dynamodb', version: '1.0', target: 'DynamoDB_20120810' },
  ssm: { protocol: 'json', host: 'ssm', version: '1.1', target: 'AmazonSSM' },
  kms: { protocol: 'json', host: 'kms', version: '1.1', target: 'TrentService' },
  route53: { protocol: 'rest', host: 'route53', version: '2013-04-01', global: 'us-east-1' },
  s3: { protocol: 'rest', host: 's3', version: '' },
  lambda: { protocol: 'rest', host: 'lambda', version: '2015-03-31' },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof SERVICES

export const serviceOf = (name: ServiceName): Service => SERVICES[name]

/** Return the domain of a region's partition. */
const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')

/** Return the address of a service where nothing else is configured. */
export function addressOf(name: ServiceName, region: string): string {
  const { host, global } = serviceOf(name)
  const isChina = region.startsWith('cn-')
  return global && !isChina ? `https://${host}.${domainOf(region)}` : `https://${host}.${region}.${domainOf(region)}`
}
