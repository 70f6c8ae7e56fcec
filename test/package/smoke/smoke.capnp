using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = [(name = "smoke", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["nodejs_compat"],
);
