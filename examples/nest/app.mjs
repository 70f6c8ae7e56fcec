// A module registry in a Nest app.
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { prepareServer, toNodeListener } from 'plinth/node'
import { createRegistry } from 'plinth/registry'

class AppModule {}
Module({})(AppModule) // @Module({}) in TypeScript

export const registry = createRegistry()
const app = await NestFactory.create(AppModule, { logger: false })
app.use('/v1', toNodeListener(registry.fetch))
export const server = prepareServer(app.getHttpServer())
await app.listen(0)
