# The same for `workerd serve`; with wrangler: a binding in `durable_objects`, and `new_sqlite_classes` in `migrations`.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "scheduler", worker = .worker),
    (name = "disk", disk = (path = "objects", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "scheduler")],
);
const worker :Workerd.Worker = (
  modules = [(name = "object", esModule = embed "object.js")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "Scheduler", uniqueKey = "scheduler", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "SCHEDULER", durableObjectNamespace = "Scheduler")],
);
