import { IncomingMessage, type ServerResponse } from 'node:http'

/**
 * Sends `100 Continue` once a handler begins to read the body: a client that waits for it is refused before it sends
 * anything. Until then the answer ends the connection, because the body may follow or not.
 */
export function continueOnRead(message: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response
  response.shouldKeepAlive = false
  message._read = (size) => {
    message._read = IncomingMessage.prototype._read
    // After the answer, Node itself reads what is left.
    if (!response.headersSent) {
      response.shouldKeepAlive = shouldKeepAlive
      response.writeContinue()
    }
    message._read(size)
  }
}
