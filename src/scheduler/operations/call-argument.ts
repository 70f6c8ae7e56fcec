import * as z from 'zod'
import { nearest } from '../../kernel/nearest.ts'
import { argument, aText, type Check, expected, like, optionalArgument } from '../../operation/arguments.ts'
import { searchContexts } from '../search/contexts.ts'
import { JobSubmissionSpec } from '../submissions/model.ts'
import type {
  DeregisterJobCall,
  EvaluateJobCall,
  JobVersionsCall,
  ListAllocationsCall,
  ListEvaluationsCall,
  ListJobsCall,
  ListNodesCall,
  OfEveryIncarnation,
  PlanJobCall,
  RegisterJobCall,
  SearchCall,
  WriteConfigurationCall,
} from './calls.ts'

export const aYesOrNo: Check = (given) =>
  typeof given === 'boolean' ? undefined : expected('boolean', given)

/** Any number except NaN, which compares with nothing. */
const aNumber: Check = (given) =>
  typeof given !== 'number'
    ? expected('number', given)
    : Number.isNaN(given)
      ? { path: [], message: 'expected a number, received NaN' }
      : undefined

const aCount: Check = (given) =>
  aNumber(given) ??
  (Number.isSafeInteger(given) && Number(given) >= 0
    ? undefined
    : { path: [], message: 'expected a whole number, 0 or more' })

const anObject: Check = (given) =>
  typeof given === 'object' && given !== null ? undefined : expected('object', given)

const aSignal: Check = (given) =>
  anObject(given) ??
  ('aborted' in Object(given) ? undefined : { path: [], message: 'expected an AbortSignal' })

type ReadField = keyof (ListJobsCall &
  ListNodesCall &
  ListAllocationsCall &
  ListEvaluationsCall &
  OfEveryIncarnation &
  JobVersionsCall &
  SearchCall)
type WriteField = keyof (RegisterJobCall &
  PlanJobCall &
  DeregisterJobCall &
  EvaluateJobCall &
  WriteConfigurationCall)

/** The fields of all calls. */
const callFields: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    token: aText,
    namespace: aText,
    index: aCount,
    waitMs: aNumber,
    stale: aYesOrNo,
    signal: aSignal,
    prefix: aText,
    filter: aText,
    perPage: aCount,
    nextToken: aText,
    reverse: aYesOrNo,
    meta: aYesOrNo,
    os: aYesOrNo,
    resources: aYesOrNo,
    taskStates: aYesOrNo,
    all: aYesOrNo,
    job: aText,
    status: aText,
    diffs: aYesOrNo,
    diff: aYesOrNo,
    context: like(z.enum(searchContexts)),
    submission: like(JobSubmissionSpec),
    version: aCount,
    enforceIndex: aCount,
    evalPriority: aNumber,
    preserveCounts: aYesOrNo,
    preserveResources: aYesOrNo,
    purge: aYesOrNo,
    forceReschedule: aYesOrNo,
    cas: aCount,
  } satisfies Record<ReadField | WriteField | 'version', Check>),
)
/** Checked by hand, since it comes with every call. */
const aCall: Check = (given) => {
  const wrong = anObject(given)
  if (wrong !== undefined) return wrong
  const fields = given as { readonly [Field in string]?: unknown } // any object => any object
  for (const field in fields) {
    const check = callFields.get(field)
    if (check === undefined) return unknownField(field)
    const value = fields[field]
    const fault = value === undefined ? undefined : check(value)
    if (fault !== undefined) return { path: [field, ...fault.path], message: fault.message }
  }
  return undefined
}

/** A misspelt field would act as if it were missing: an anonymous caller, another namespace, an unpaged list. */
const unknownField = (field: string) => {
  const meant = nearest(field, callFields.keys())
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`
  return { path: [field], message: `unknown option${advice}` }
}

/** The fields for the caller and the target. */
export const call = optionalArgument(argument<object>('call', aCall))
