import { hasProvider, leaveForProvider } from '../data/provider-sign-in.ts'
import { useResource } from '../data/resource.ts'

/** The sign-in with the identity provider of the company, where the registry has one. */
export function ProviderSignIn() {
  const { value } = useResource(async ({ signal }) => ({ value: await hasProvider(signal) }), []).state.value
  return value ? (
    <button type="button" class="quiet" onClick={leaveForProvider}>
      Sign in with your company
    </button>
  ) : null
}
